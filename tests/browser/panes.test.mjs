// The panes of source and SASS, the winner compared with the default, the index, and the page of a kernel.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { HOSTILE, makeReport, makeView } from './fixture.mjs';
import { drawAll, launch, open, points, screenshot, write } from './support.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const view = makeView({ n: 60, sampled: true });
const single = write('panes.html', makeReport([view]));
const hash = (of) => '#' + new URLSearchParams(of);
const texts = (page, selector) => page.locator(selector).allTextContents();

test('heat, shares and the hottest lines agree with the samples', async () => {
  const { page, faults, close } = await open(browser, single);
  assert.match(await page.locator('#source select option:checked').first().textContent(), /best/); // the winner comes first
  assert.deepEqual((await texts(page, '.hot-spots td.number')).map((s) => s.replace('\u00a0', ' ')), ['55.0 %', '20.0 %', '15.0 %']);
  assert.deepEqual(await texts(page, '.hot-spots th .link'), ['kernel.cu:8', 'row.cuh:3', 'kernel.cu:7']);
  assert.match((await texts(page, '.hot-spots .stall-cell'))[0], /long scoreboard 65.%, wait 23.%, selected 12.%/);
  // The whole file is shown; only lines with samples are hot, and the hottest line most.
  assert.equal(await page.locator('.pane').first().locator('tr').count(), 12);
  const heat = await page.locator('.pane').first().locator('tr.hot').evaluateAll((rows) => rows.map((r) => [r.dataset.key, Number(r.style.getPropertyValue('--heat')), getComputedStyle(r).backgroundColor]));
  assert.deepEqual(heat.map(([key, h]) => [key, h]), [['7', 0.273], ['8', 1]]);
  assert.notEqual(heat[0][2], heat[1][2]);
  // Numbers on a hot line have the contrast of the text.
  const colours = await page.locator('.pane').first().locator('tr.hot td').evaluateAll((cells) => cells.map((c) => getComputedStyle(c).color));
  assert.equal(new Set(colours).size, 1, colours.join());
  assert.equal(await page.locator('.pane').last().locator('tr').count(), 120);
  assert.equal(await page.locator('.pane').last().locator('tr.hot').count(), 5);
  await page.getByRole('button', { name: 'hottest instructions' }).click();
  assert.deepEqual((await texts(page, '.hot-spots th .link')).slice(0, 3), ['0500', '0640', '0280']);
  assert.match((await texts(page, '.hot-spots .code-cell'))[0], /^FADD.FTZ R9, R9, R4/);
  assert.deepEqual(faults, []);
  await close();
});

test('executions and wasted accesses stand beside the samples', async () => {
  const { page, faults, close } = await open(browser, single);
  const row = (offset) => page.locator('.pane').last().locator(`tr[data-key="${offset}"]`);
  assert.equal(await row(640).locator('.code-executed').textContent(), '2.00\u00a0M');
  assert.equal(await row(656).locator('.code-executed').textContent(), '2.00\u00a0M');
  assert.equal(await row(672).locator('.code-executed').textContent(), '');
  assert.match(await row(656).locator('.wasted').textContent(), /32.0 instead of 1.0 wavefronts each time .bank conflicts./);
  assert.equal(await page.locator('.pane').last().locator('.wasted').count(), 2);
  assert.equal(await page.locator('.pane').first().locator('tr[data-key="7"] .code-executed').textContent(), '4.00\u00a0M');
  // An instruction that was executed but never sampled has no heat, and can be selected.
  assert.equal(await row(656).evaluate((r) => r.classList.contains('hot')), false);
  await row(656).click();
  assert.match(await page.locator('.pane-note').textContent(), /: no samples. 2.000.000 executions by warps, 15.5 of 32 threads each; 32.0 instead of 1.0 wavefronts/);
  assert.deepEqual(await page.locator('.pane').first().locator('tr.chosen').evaluateAll((rows) => rows.map((r) => r.dataset.key)), ['7']);
  await page.getByRole('button', { name: 'wasted accesses' }).click();
  assert.deepEqual(await texts(page, '.hot-spots th .link'), ['0290', '0280']);
  assert.deepEqual((await texts(page, '.hot-spots td.number')).map((s) => s.replace('\u00a0', ' ')), ['7.94 GB', '1.79 GB']);
  await page.locator('.hot-spots .link').last().click();
  assert.ok(await row(640).evaluate((r) => r.classList.contains('chosen')));
  // The other configuration was not counted.
  await page.locator('#source select').first().selectOption('1');
  assert.equal(await page.locator('.code-executed').count(), 0);
  assert.equal(await page.getByRole('button', { name: 'wasted accesses' }).count(), 0);
  assert.match(await page.locator('#source').textContent(), /Counts of instructions are missing: CUPTI 12.6 has no SASS metrics/);
  assert.deepEqual(faults, []);
  await close();
});

test('a line shows its instructions, an instruction its line, also of another file', async () => {
  const { page, faults, close } = await open(browser, single);
  const chosen = (pane) => page.locator('.pane').nth(pane).locator('tr.chosen').evaluateAll((rows) => rows.map((r) => r.dataset.key));
  await page.getByRole('button', { name: 'Source line 8' }).click();
  assert.deepEqual(await chosen(0), ['8']);
  assert.deepEqual(await chosen(1), ['1280', '1296']);
  const seen = await page.locator('.pane').nth(1).locator('tr.chosen').first().evaluate((row) => { const box = row.closest('.code'); return row.offsetTop - box.scrollTop; });
  assert.ok(seen > 0 && seen < 440, `the instruction is in sight: ${seen}`);
  assert.match(await page.locator('.pane-note').textContent(), /kernel.cu:8: 55.0.% of the samples; long scoreboard 65.%/);
  await page.locator('.pane').nth(1).locator('tr[data-key="1600"]').click();
  assert.equal(await page.locator('.pane').first().locator('select option:checked').textContent(), 'row.cuh');
  assert.deepEqual(await chosen(0), ['3']);
  // An instruction without a line does not change the source pane.
  await page.locator('.pane').nth(1).locator('tr[data-key="1904"]').click();
  assert.deepEqual(await chosen(0), []);
  assert.match(await page.locator('.pane-note').textContent(), /EXIT: 10.0.% of the samples/);
  await page.locator('.hot-spots .link').first().focus();
  await page.keyboard.press('Enter'); // the keyboard is enough
  assert.deepEqual(await chosen(0), ['8']);
  assert.equal(await page.locator('.pane').first().locator('select option:checked').textContent(), 'kernel.cu');
  assert.deepEqual(faults, []);
  await close();
});

test('without nvdisasm the sampled instructions remain, and the page says so', async () => {
  const { page, faults, close } = await open(browser, single);
  const which = page.locator('#source select').first();
  assert.match((await which.locator('option').allTextContents())[1], /default/);
  await which.selectOption('1');
  assert.match(await page.locator('#source').textContent(), /without their text: nvdisasm was not found/);
  assert.equal(await page.locator('.pane').last().locator('tr').count(), 5);
  assert.deepEqual(faults, []);
  await close();
});

test('without samples and comparison there are no such sections', async () => {
  const { page, faults, close } = await open(browser, write('no_panes.html', makeReport([makeView({ n: 20 })])));
  assert.equal(await page.locator('section#source, section#why').count(), 0);
  assert.deepEqual(faults, []);
  await close();
});

test('the winner against the default', async () => {
  const { page, faults, close } = await open(browser, single);
  assert.match(await page.locator('.why-verdict').textContent(), /executes 2.60x the instructions/);
  const rows = await texts(page, '#why .numbers tbody tr');
  assert.ok(rows.some((r) => /^issue.*90.%71.0.M → 180.M$/.test(r)), rows.join('\n'));
  assert.ok(rows.some((r) => /^fp32.*\(model\)/.test(r)));
  assert.ok(rows.some((r) => r.startsWith('math pipe throttle')));
  assert.ok(!rows.some((r) => r.startsWith('drain')), 'stalls that explain nothing are left out');
  assert.ok(rows.some((r) => r.startsWith('kernel.cu:8')));
  const params = await page.locator('#why .numbers').first().locator('tbody th').allTextContents();
  const differing = view.params.filter((p, k) => view.trials.config[k][view.best.trial] !== view.trials.config[k][view.default]).map((p) => p.name);
  assert.deepEqual(params.slice(1, 1 + differing.length), differing);
  assert.deepEqual(faults, []);
  await close();
});

test('nothing in samples or comparisons becomes markup', async () => {
  const { page, faults, close } = await open(browser, write('panes_hostile.html', makeReport([makeView({ n: 20, sampled: true, hostile: HOSTILE })], HOSTILE)));
  await page.getByRole('button', { name: 'hottest instructions' }).click();
  await page.locator('.hot-spots .link').first().click();
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assert.equal(await page.locator('#source img, #why img').count(), 0);
  assert.deepEqual(faults, []);
  await close();
});

const sized = [1024, 4096, 16384].map((rows, k) => ({ ...makeView({ n: 20, seed: 10 + k, problem: `rows=${rows},cols=8192;bf16` }) }));
sized.forEach((v, k) => { const f = 4 ** (k - 2); v.cost = { bytes_read: 2.7e8 * f, bytes_written: 2.7e8 * f, flops: { fp32: 3.1e9 * f } }; v.best.median_us *= f; v.best.roofline_share = [0.4, 0.8, 0.97][k]; });
const other = makeView({ n: 20, seed: 20, problem: 'rows=16384,cols=8192;bf16', device: 'NVIDIA H100' });
other.best.median_us = sized[2].best.median_us * 2;
const near = makeView({ n: 20, seed: 21, name: 'axpy', problem: 'n=67108864;fp32' });
near.best.roofline_share = 0.99;
const many = write('kernels.html', makeReport([near, ...sized, other]));

test('the index ranks kernels and results by what is left to gain', async () => {
  const { page, faults, close } = await open(browser, many);
  assert.ok(await page.locator('.overview').evaluate((d) => d.open), 'open as long as no result is chosen');
  assert.deepEqual(await texts(page, '.kernels tbody th'), ['softmax', 'axpy']);
  assert.match((await texts(page, '.kernels tbody tr'))[1], /1 result.*at most 1.01×.*1.%/);
  // The kernel's share is the share of its total time.
  const views = [...sized, other];
  const us = views.reduce((a, v) => a + v.best.median_us, 0);
  const above = views.reduce((a, v) => a + (1 - v.best.roofline_share) * v.best.median_us, 0);
  assert.ok((await texts(page, '.kernels tbody tr'))[0].includes(`${((100 * above) / us).toFixed(0)}\u00a0%`));
  assert.match((await texts(page, '.kernels .problem-cell'))[0], /rows=1024/);
  const order = await page.locator('.overview .scroll').last().locator('[data-label="of the roof"]').allTextContents();
  assert.deepEqual(order.map(parseFloat), [40, 80, 93, 97, 99]);
  await page.locator('.kernels a', { hasText: 'softmax' }).click();
  await page.locator('h1', { hasText: 'softmax 4 results' }).waitFor();
  assert.ok(!(await page.locator('.overview').evaluate((d) => d.open)), 'closed, so that the kernel comes first');
  assert.deepEqual(faults, []);
  await close();
});

test('the page of a kernel: all winners, time against size, devices side by side', async () => {
  const { page, faults, close } = await open(browser, many, {}, hash({ kernel: 'softmax' }));
  await drawAll(page);
  assert.equal(await points(page, 'winners'), 4);
  assert.equal(await points(page, 'sizes'), 4);
  assert.deepEqual(await texts(page, '#beside thead th'), ['problem', 'NVIDIA H200', 'left to gain', 'NVIDIA H100', 'left to gain', 'vs NVIDIA H200']);
  const rows = await page.locator('#beside tbody tr').evaluateAll((all) => all.map((r) => [...r.cells].map((c) => c.textContent)));
  assert.deepEqual(rows.map((r) => r[0].split(',')[0]), ['rows=1024', 'rows=4096', 'rows=16384']); // by size
  assert.deepEqual([rows[0][3], rows[0][5], rows[2][5]], ['–', '–', '0.500×']);
  assert.equal(rows[0][2], 'at most 2.50×', 'as in the list of kernels');
  await page.locator('#beside a').first().click();
  await page.locator('section#trials').waitFor();
  assert.match(await page.locator('h1').textContent(), /rows=1024/);
  await page.goBack();
  await page.locator('section#beside').waitFor();
  assert.deepEqual(faults, []);
  await close();
});

test('results of two databases are told apart', async () => {
  const twice = [{ ...sized[0], database: 'monday.db' }, { ...sized[0], id: 'friday', database: 'friday.db' }];
  const { page, faults, close } = await open(browser, write('databases.html', makeReport(twice)), {}, hash({ kernel: 'softmax' }));
  assert.deepEqual((await texts(page, '#beside thead th')).filter((t) => t.includes('.db)')), ['NVIDIA H200 (monday.db)', 'NVIDIA H200 (friday.db)', 'vs NVIDIA H200 (monday.db)']);
  assert.match((await texts(page, '#picker option'))[1], /friday.db/);
  assert.deepEqual(faults, []);
  await close();
});

for (const colorScheme of ['light', 'dark']) {
  for (const width of [1400, 400]) {
    test(`${width} wide, ${colorScheme}: nothing overflows the page`, async () => {
      for (const [name, path, at] of [['panes', single, ''], ['kernel', many, hash({ kernel: 'softmax' })], ['index', many, '']]) {
        const { page, faults, close } = await open(browser, path, { colorScheme, viewport: { width, height: 900 } }, at);
        await drawAll(page);
        if (name === 'panes') await page.getByRole('button', { name: 'Source line 8' }).click();
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} overflows`);
        await screenshot(page, `${name}_${width}_${colorScheme}`);
        assert.deepEqual(faults, []);
        await close();
      }
    });
  }
}
