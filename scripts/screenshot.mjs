// Takes a picture of a report: screenshot.mjs REPORT.html OUT.png [KERNEL [WEB]]. It shows the top of the page down to
// the end of the roofline, 1400 pixels wide. KERNEL: show its first result instead of the page's. WEB: the folder with
// the build's browser driver (build/release/web).
import { resolve } from 'node:path';

const [report, out, kernel = '', web = 'build/release/web'] = process.argv.slice(2);
if (!report || !out) {
  console.error('usage: screenshot.mjs REPORT.html OUT.png [KERNEL [WEB]]');
  process.exit(2);
}
process.env.WT_WEB = resolve(web);
process.env.WT_CHROMIUM ??= '/usr/bin/chromium';
const { launch, open } = await import('../tests/browser/support.mjs');

const SIZE = { width: 1400, height: 1000 };
const browser = await launch();
const { page, faults } = await open(browser, resolve(report), { viewport: SIZE, colorScheme: 'light' });
const chart = page.locator('#roofline canvas').first();
await chart.waitFor();
if (kernel) {
  const views = await page.locator('#picker option').evaluateAll((all) => all.map((o) => ({ value: o.value, text: o.textContent })));
  const view = views.find(({ text }) => text.startsWith(kernel + ' '));
  if (!view) throw new Error(`no result of ${kernel}; the page has ${views.map(({ text }) => text).join(', ')}`);
  await page.locator('#picker').selectOption(view.value);
  await chart.waitFor();
}
const { y, height } = await page.locator('#roofline').boundingBox();
await page.setViewportSize({ ...SIZE, height: Math.ceil(y + height) + 20 });
await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
await page.screenshot({ path: out });
await browser.close();
if (faults.length) {
  console.error(faults.join('\n'));
  process.exit(1);
}
