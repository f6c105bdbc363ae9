// The content of a page, its colours and widths, and that no data becomes markup.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { HOSTILE, makeReport, makeView } from './fixture.mjs';
import { drawAll, launch, open, points, rowCount, screenshot, write } from './support.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const measured = makeView({ n: 330 });
const model = makeView({ n: 120, seed: 2, name: 'axpy', problem: 'n=67108864; fp32', flops: false, measured: false });
const single = write('single.html', makeReport([measured]));
const several = write('several.html', makeReport([measured, model]));

test('points, rows and trials agree; no error, no request', async () => {
  const { page, faults, close } = await open(browser, single);
  await drawAll(page);
  const timed = measured.trials.median_us.filter((v) => v > 0).length;
  assert.equal(await points(page, 'roofline'), timed);
  assert.equal(await points(page, 'search'), timed);
  assert.equal(Number(await page.locator('#search .chart').getAttribute('data-failed')), 330 - timed);
  assert.equal(await rowCount(page), 330);
  assert.match(await page.locator('.verdict').textContent(), /DRAM-bound: 93 % of the measured roof/);
  for (const id of ['roofline', 'search', 'parameters', 'winner', 'energy', 'trials', 'provenance']) assert.equal(await page.locator('section#' + id).count(), 1, id);
  assert.match(await page.locator('#roofline').textContent(), /Triangles are baselines/);
  await screenshot(page, 'light');
  assert.deepEqual(faults, []);
  await close();
});

test('a long list of sizes is cut, and whole on hover', async () => {
  const sizes = Array.from({ length: 12 }, (_, i) => i * 100);
  const problem = `rows=[${sizes}],cols=64;fp32`;
  const { page, faults, close } = await open(browser, write('list.html', makeReport([makeView({ n: 20, problem }), model])));
  assert.match(await page.locator('h1').textContent(), /rows=\[0,100,200, … 12 sizes\],cols=64;fp32/);
  assert.equal(await page.locator('h1 .problem').getAttribute('title'), problem);
  assert.match(await page.locator('#picker option').first().textContent(), /… 12 sizes/);
  assert.deepEqual(faults, []);
  await close();
});

test('the heading breaks between dims and flags, and not within one', async () => {
  const problem = 'rows=32768,cols=4096;bf16;norm=rms,residual=1,weight=1';
  const { page, faults, close } = await open(browser, write('heading.html', makeReport([makeView({ n: 20, problem })])), { viewport: { width: 400, height: 800 } });
  assert.equal(await page.locator('h1 .problem').textContent(), problem);
  const lines = await page.locator('h1 .problem').evaluate((element) => [...element.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE).map((n) => {
    const range = document.createRange();
    range.selectNodeContents(n);
    return { text: n.textContent, lines: range.getClientRects().length };
  }));
  assert.deepEqual(lines.filter((l) => l.lines > 1), [], 'no dim is broken');
  assert.ok(lines.length >= 6);
  assert.deepEqual(faults, []);
  await close();
});

test('a note with a configuration breaks between its values, and not within one', async () => {
  const view = makeView({ n: 20 });
  view.notes = ['the winner is not the fastest (implementation=wgmma,SWAP=0,BM=64,BN=128,CONSUMERS=2,SCHEDULE=pingpong,SLABS=1,STAGES=8,CLUSTER=none,SPLIT_K=1,GROUP=8,PANELS=2,ALIGN=16 with 8.59 us)'];
  const path = write('note.html', makeReport([view]));
  for (const width of [1400, 400]) {
    const { page, faults, close } = await open(browser, path, { viewport: { width, height: 800 } });
    const note = page.locator('.notes li');
    assert.equal(await note.textContent(), view.notes[0]);
    const broken = await note.evaluate((element) => {
      const lines = (node, word) => {
        const range = document.createRange();
        range.setStart(node, node.data.indexOf(word));
        range.setEnd(node, node.data.indexOf(word) + word.length);
        return new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size;
      };
      return [...element.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE).flatMap((n) => n.data.split(' ').filter((word) => word && lines(n, word) > 1));
    });
    assert.deepEqual(broken, [], `at ${width} pixels`);
    assert.deepEqual(faults, []);
    await close();
  }
});

test('what was not measured is not shown, and the model is called one', async () => {
  const { page, faults, close } = await open(browser, several, {}, '#' + new URLSearchParams({ view: model.id }));
  await drawAll(page);
  assert.match(await page.locator('h1').textContent(), /^axpy n=67108864/);
  assert.equal(await page.locator('#roofline h2').textContent(), 'Bandwidth');
  assert.match(await page.locator('.chips').textContent(), /counters: none, model/);
  assert.equal(await page.locator('section#energy, section#winner').count(), 0);
  assert.equal(await points(page, 'roofline'), model.trials.median_us.filter((v) => v > 0).length);
  await page.selectOption('#picker', measured.id);
  await page.locator('h1', { hasText: 'softmax' }).waitFor();
  assert.match(decodeURIComponent(new URL(page.url()).hash), /view=softmax/);
  assert.equal(await rowCount(page), 330);
  // The skip link stays in the view that is shown.
  await page.selectOption('#picker', model.id);
  await page.waitForFunction((id) => new URLSearchParams(location.hash.slice(1)).get('view') === id, model.id);
  const shown = await page.title();
  await page.locator('.skip').focus();
  await page.keyboard.press('Enter');
  assert.equal(await page.title(), shown);
  assert.deepEqual(faults, []);
  await close();
});

test('dark and light: by the system, then by the button', async () => {
  const { page, faults, close } = await open(browser, single, { colorScheme: 'dark' });
  const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await drawAll(page);
  const dark = await paper();
  await screenshot(page, 'dark');
  await page.getByRole('button', { name: 'Show in light colours' }).click();
  assert.equal(await paper(), 'rgb(255, 255, 255)');
  assert.notEqual(dark, 'rgb(255, 255, 255)');
  await page.getByRole('button', { name: 'Show in dark colours' }).click();
  assert.equal(await paper(), dark);
  assert.deepEqual(faults, []);
  await close();
});

test('a winner that was not the fastest in the search: both are marked', async () => {
  const view = makeView({ n: 330, winner: 2 });
  const { page, faults, close } = await open(browser, write('finals.html', makeReport([view])));
  await drawAll(page);
  const { trials: t } = view;
  const cell = (trial) => page.locator(`.grid-row[data-trial="${trial}"] [aria-colindex="4"]`).textContent();
  assert.equal(await cell(view.fastest), 'fastest, tie');
  assert.equal(await cell(view.best.trial), 'best');
  assert.match(await page.locator('.figures').textContent(), new RegExp(`fastest in the search.*trial ${t.id[view.fastest]}, not the winner`));
  assert.match(await page.locator('#search .caption').textContent(), new RegExp(`The fastest came at trial ${t.id[view.fastest]} .*The finals chose trial ${t.id[view.best.trial]}`));
  await screenshot(page, 'finals');
  assert.deepEqual(faults, []);
  await close();
  const same = await open(browser, single);
  assert.doesNotMatch(await same.page.locator('main').textContent(), /fastest in the search|The finals chose/);
  await same.close();
});

test('only finals that were measured are called interleaved', async () => {
  for (const recorded of [true, false]) {
    const view = makeView({ n: 20 });
    view.device.recorded = recorded;
    const { page, close } = await open(browser, write('certified.html', makeReport([view])));
    assert.match(await page.locator('.chip', { hasText: /^certified$/ }).getAttribute('title'), recorded ? /with recorded samples, which were not interleaved/ : /were measured again, interleaved/);
    await close();
  }
});

test('texts stand out from their background in both', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const { page, close } = await open(browser, single, { colorScheme });
    const low = await page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
      const luminance = (name) => {
        canvas.fillStyle = style.getPropertyValue('--' + name);
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ratio = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
      const pairs = ['ink', 'soft', 'ok', 'warn'].flatMap((c) => [[c, 'paper'], [c, 'wash']]).concat([['on-accent', 'accent'], ['paper', 'ink']]);
      return pairs.filter(([a, b]) => ratio(a, b) < 4.5).map(([a, b]) => `${a} on ${b}: ${ratio(a, b)}`);
    });
    assert.deepEqual(low, [], colorScheme);
    await close();
  }
});

test('400 pixels wide: the page does not scroll sideways', async () => {
  for (const path of [single, several]) {
    const { page, faults, close } = await open(browser, path, { viewport: { width: 400, height: 800 } });
    await drawAll(page);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), path);
    const heads = await page.locator('#provenance .scroll thead th').evaluateAll((all) => all.map((c) => c.getBoundingClientRect().height));
    assert.ok(heads.every((height) => height < 40), `heads of the roofs are one line: ${heads}`);
    if (path === single) await screenshot(page, 'narrow');
    assert.deepEqual(faults, []);
    await close();
  }
});

test('without JavaScript the table and the picture remain', async () => {
  const { page, close } = await open(browser, single, { javaScriptEnabled: false });
  assert.ok(await page.locator('#wt-static svg').isVisible());
  assert.ok(await page.locator('#wt-static table').isVisible());
  await close();
  const { page: scripted, close: end } = await open(browser, single);
  assert.ok(await scripted.locator('#wt-static').isHidden());
  await end();
});

test('data of another format: said, and the static part remains', async () => {
  const { page, close } = await open(browser, write('format.html', { ...makeReport([measured]), format: 99 }));
  assert.match(await page.getByRole('alert').textContent(), /format 99/);
  assert.ok(await page.locator('#wt-static table').isVisible());
  await close();
});

test('names that look like markup stay names', async () => {
  const view = makeView({ n: 60, hostile: HOSTILE });
  const { page, faults, close } = await open(browser, write('hostile.html', makeReport([view, makeView({ n: 30, seed: 9, hostile: HOSTILE })], HOSTILE)));
  await drawAll(page);
  await page.getByLabel('counter columns').check();
  await page.locator('.more summary').click();
  for (const chart of await page.locator('.chart').all()) { // the tooltips as well
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    for (let x = 0.1; x < 1; x += 0.1) await page.mouse.move(box.x + box.width * x, box.y + box.height * (0.2 + x / 2));
    await chart.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
  }
  assert.ok((await page.locator('h1').textContent()).includes(view.kernel));
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assert.equal(await page.locator('#app img, #app script, #wt-static script').count(), 0);
  assert.deepEqual(faults, []);
  await close();
});

test('nothing timed, nothing in the database: one sentence each', async () => {
  const none = makeView({ n: 20, failing: 1 });
  Object.assign(none, { best: null, bound: null, default: null, pareto: [] });
  for (const key of Object.keys(none.trials)) if (Array.isArray(none.trials[key])) none.trials[key] = none.trials[key].map((v) => (['id', 'status', 'config', 'evidence'].includes(key) ? v : Array.isArray(v) ? v.map(() => null) : null));
  none.trials.status = none.trials.status.map(() => 6);
  const failed = await open(browser, write('failed.html', makeReport([none])));
  await drawAll(failed.page);
  assert.match(await failed.page.locator('.verdict').textContent(), /there is no winner/);
  assert.match(await failed.page.locator('#roofline').textContent(), /Nothing was timed/);
  assert.equal(await rowCount(failed.page), 20);
  assert.deepEqual(failed.faults, []);
  await failed.close();
  const empty = await open(browser, write('empty.html', makeReport([])));
  assert.match(await empty.page.locator('main').textContent(), /contains no results/);
  assert.deepEqual(empty.faults, []);
  await empty.close();
});

test('a session without finals has no winner yet', async () => {
  const stopped = makeView({ n: 20 });
  Object.assign(stopped, { best: null, bound: null, pareto: [] });
  const { page, faults, close } = await open(browser, write('stopped.html', makeReport([stopped])));
  await drawAll(page);
  assert.match(await page.locator('.verdict').textContent(), /not reached its finals/);
  assert.doesNotMatch(await page.locator('.details').textContent(), /the winner/);
  assert.deepEqual(faults, []);
  await close();
});

test('the list of results: no word is broken at 1400 pixels, and rows are blocks at 400', async () => {
  for (const width of [1400, 800, 400]) {
    const { page, faults, close } = await open(browser, several, { viewport: { width, height: 900 } });
    const list = page.locator('.overview');
    assert.equal(await list.evaluate((d) => d.open), width > 800, 'closed in a narrow window, so that the winner comes first');
    if (width <= 800) await list.locator('summary').click();
    const cells = await page.locator('.overview tbody td, .overview tbody th').evaluateAll((all) => all.map((c) => ({ text: c.textContent, width: c.getBoundingClientRect().width, height: c.getBoundingClientRect().height })));
    for (const c of cells.filter((c) => c.text.length < 16)) assert.ok(c.height < 48, `${width}: "${c.text}" takes ${c.height} pixels`);
    assert.ok(await page.locator('.overview .verdict-cell').first().evaluate((c) => c.getBoundingClientRect().width) >= Math.min(width - 40, 300), `${width}: the verdict is narrow`);
    if (width === 400) assert.ok((await page.locator('.overview .scroll').evaluateAll((all) => all.map((s) => s.scrollWidth <= s.clientWidth))).every(Boolean), 'the lists do not scroll sideways');
    // A list that is cut has a shadow at its lower edge, as at its right edge.
    assert.match(await page.locator('.overview .scroll').last().evaluate((s) => getComputedStyle(s).backgroundImage), /^linear-gradient\(to top, .*linear-gradient\(to left, /);
    await screenshot(page, 'list_' + width);
    assert.deepEqual(faults, []);
    await close();
  }
});

test('in print a chart is never wider than the paper', async () => {
  const { page, close } = await open(browser, single);
  await drawAll(page);
  await page.emulateMedia({ media: 'print' });
  // Measured at once, like a printer's layout: no chart is told of the new width.
  const over = await page.evaluate(() => {
    const chart = document.querySelector('#roofline .chart');
    chart.style.width = '500px';
    const [outer, canvas] = [chart.getBoundingClientRect(), chart.querySelector('canvas').getBoundingClientRect()];
    return { right: canvas.right - outer.right, bottom: canvas.bottom - outer.bottom };
  });
  assert.ok(over.right <= 1 && over.bottom <= 1, JSON.stringify(over));
  await close();
});

test('stalls are shares of all, and each median stands above its own interval', async () => {
  const { page, close } = await open(browser, single);
  const stalls = [...measured.stalls].sort((a, b) => b.share - a.share);
  const [bar, track] = await page.locator('#winner .bar-track').first().evaluate((t) => [t.firstChild.getBoundingClientRect().width, t.getBoundingClientRect().width]);
  assert.ok(Math.abs(bar / track - stalls[0].share) < 0.02, `${bar} of ${track} for ${stalls[0].share}`);
  const labels = await page.locator('.details .facts').first().locator('dt').allTextContents();
  assert.deepEqual(labels.slice(0, 4), ['median in the finals', '95 % interval', 'median in the search', '95 % interval']);
  await close();
});

// If the verdict says that no roof is reached, the nearest roof is not called a bound.
test('the share of the roof names the roof and calls it no bound', async () => {
  const { page, close } = await open(browser, single);
  const tile = (await page.locator('.figures .figure', { hasText: 'of the roof' }).first().textContent()).replace(/\u00a0/g, ' ');
  assert.match(tile, /the .+ roof/);
  assert.doesNotMatch(tile, /bound/);
  await close();
});

test('the panel of a library call shows no registers and no shared memory', async () => {
  const view = makeView({ n: 40 });
  const shown = async () => {
    const { page, close } = await open(browser, write('call.html', makeReport([view])));
    const labels = await page.locator('.details .facts').first().locator('dt').allTextContents();
    await close();
    return ['registers', 'spills', 'shared memory'].filter((label) => labels.includes(label)).length;
  };
  assert.equal(await shown(), 3);
  view.trials.registers.fill(0);
  assert.equal(await shown(), 0);
});

test('the panel of the winner says what its marks and bars mean', async () => {
  const { page, close } = await open(browser, single);
  const legend = await page.locator('.details .spread-legend li').allTextContents();
  assert.ok(legend.includes('median') && legend.includes('95 % interval of the median'), legend.join());
  const marks = await page.locator('.details svg.spread > rect, .details svg.spread > line:not(.spread-axis), .details svg.spread > circle').count();
  assert.equal(legend.length, marks);
  assert.match(await page.locator('#winner .bars .caption').first().textContent(), /^Share of the cycles .* 100\s%\.$/);
  await close();
});

test('sentences and tables name the right value, ratio and interval', async () => {
  const view = makeView({ n: 330 });
  const t = view.trials;
  const [fastest, second] = [...Array(t.n).keys()].filter((i) => t.median_us[i] > 0).sort((a, b) => t.median_us[a] - t.median_us[b]);
  Object.assign(view.best, { ci_low_us: 100, ci_high_us: 200 }); // different from those of the search
  t.energy_mj = t.energy_mj.map((_, i) => ({ [fastest]: 100, [second]: 60 })[i] ?? null);
  view.pareto = [fastest, second];
  const { page, faults, close } = await open(browser, write('sentences.html', makeReport([view, model])));
  await drawAll(page);
  const shown = async (selector) => (await page.locator(selector).first().textContent()).replace(/\u00a0/g, ' ');
  assert.equal(await page.locator('.details .facts').first().locator('dd').nth(1).textContent(), '100.0\u00a0us to 200.0\u00a0us');
  assert.match(await shown('#energy .caption'), /^The candidate with the least energy needs 40\.0 % less energy than the fastest/);
  const tile = page.locator('#parameters figure', { has: page.locator('b', { hasText: /^TILE$/ }) });
  assert.match(await tile.locator('.caption').textContent(), new RegExp(`^Best at ${t.config[0][fastest]}: `));
  const ratio = view.best.default_us / view.best.median_us;
  assert.ok(ratio > 1);
  assert.equal(await shown('.overview [data-label="vs default"]'), ratio.toFixed(2) + '×');
  assert.deepEqual(faults, []);
  await close();
});
