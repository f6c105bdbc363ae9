// A browser and pages that record forbidden events: errors, dialogs, and any request.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { assemble } from './assemble.mjs';

export const web = process.env.WT_WEB;
export const work = join(web, 'tests');
mkdirSync(work, { recursive: true });

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export function launch() {
  const { chromium } = createRequire(join(web, 'package.json'))('playwright-core');
  return chromium.launch({ executablePath: process.env.WT_CHROMIUM, headless: true, args: FLAGS });
}

export function write(name, report) {
  const path = join(work, name);
  writeFileSync(path, assemble(join(web, 'out'), report));
  return path;
}

// {page, faults}; faults is empty unless a forbidden event happened.
export async function open(browser, path, options = {}, hash = '') {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const faults = [];
  page.on('console', (m) => { if (['error', 'warning'].includes(m.type())) faults.push(`console: ${m.text()}`); });
  page.on('pageerror', (e) => faults.push(`error: ${e.message}`));
  page.on('dialog', (d) => { faults.push(`dialog: ${d.message()}`); d.dismiss(); });
  page.on('request', (r) => { if (!/^(file|data):/.test(r.url())) faults.push(`request: ${r.url()}`); });
  await page.goto(pathToFileURL(path).href + hash);
  return { page, faults, close: () => context.close() };
}

// Scrolls to each section once, so that every chart is drawn.
export async function drawAll(page) {
  for (const chart of await page.locator('.chart').all()) {
    await chart.scrollIntoViewIfNeeded();
    await chart.locator('canvas').first().waitFor();
  }
}

export const points = async (page, section) => Number(await page.locator(`#${section} .chart`).getAttribute('data-points'));
export const rowCount = async (page) => Number(await page.locator('.grid').getAttribute('aria-rowcount')) - 1;
export const cells = (page, column) => page.locator(`.grid-body .grid-row [aria-colindex="${column}"]`).allTextContents();

// Waits frame by frame until `f` returns true: the page updates within a few frames, however slow the machine.
export const until = (page, f, argument) => page.waitForFunction(f, argument, { polling: 'raf' });

export async function screenshot(page, name) {
  await page.screenshot({ path: join(work, name + '.png'), fullPage: true });
}
