// Not a test: measures the time to a page's first paint and to its first chart. first_paint.mjs <build>/web [trials]
import { resolve } from 'node:path';

process.env.WT_WEB = resolve(process.argv[2]);
process.env.WT_CHROMIUM ??= '/usr/bin/chromium';
const { makeReport, makeView } = await import('./fixture.mjs');
const { launch, open, write } = await import('./support.mjs');

const RUNS = 5;
const n = Number(process.argv[3] || 5000);
const path = write('first_paint.html', makeReport([makeView({ n })]));
const browser = await launch();
const times = [];
for (let run = 0; run < RUNS; ++run) {
  const { page, close } = await open(browser, path);
  await page.locator('#roofline canvas').first().waitFor();
  times.push(await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done([
    performance.getEntriesByName('first-contentful-paint')[0].startTime, performance.now()]))))));
  await close();
}
await browser.close();
const median = (k) => times.map((t) => t[k]).sort((a, b) => a - b)[Math.floor(RUNS / 2)].toFixed(0);
console.log(`${n} trials: first contentful paint ${median(0)} ms, roofline drawn by ${median(1)} ms (median of ${RUNS})`);
