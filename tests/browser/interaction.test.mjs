// Sorting, filtering, pinning and keys; the same with ten thousand trials.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeReport, makeView } from './fixture.mjs';
import { cells, drawAll, launch, open, points, rowCount, until, write } from './support.mjs';

const MEDIAN = 2, FIRST_PARAM = 5; // column indices
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const view = makeView({ n: 330 });
const t = view.trials;
const path = write('interaction.html', makeReport([view]));
const pinnedTitle = (page) => page.locator('.details h3').textContent();
const byTime = [...Array(t.n).keys()].filter((i) => t.median_us[i] > 0).sort((a, b) => t.median_us[a] - t.median_us[b]);

test('every column sorts both ways, unknown values last', async () => {
  const { page, faults, close } = await open(browser, path);
  assert.equal((await cells(page, 1))[0], String(t.id[byTime[0]])); // initially sorted by time
  const heads = page.locator('.grid-head [role="columnheader"]');
  for (let k = 0; k < await heads.count(); ++k) {
    await heads.nth(k).locator('button').click();
    await heads.nth(k).locator('button').click();
    assert.match(await heads.nth(k).getAttribute('aria-sort'), /^(a|de)scending$/);
  }
  const id = page.getByRole('columnheader', { name: '#' }).locator('button');
  await id.click();
  assert.deepEqual((await cells(page, 1)).slice(0, 3), ['1', '2', '3']);
  await id.click();
  assert.deepEqual((await cells(page, 1)).slice(0, 3), ['330', '329', '328']);
  const median = page.getByRole('columnheader', { name: 'median' }).locator('button');
  await median.click();
  await median.click();
  assert.equal((await cells(page, 1))[0], String(t.id[byTime[byTime.length - 1]]));
  await page.locator('.grid').focus();
  await page.keyboard.press('End');
  assert.equal((await cells(page, MEDIAN)).pop(), '–');
  assert.deepEqual(faults, []);
  await close();
});

test('filters by words, status and parameter; the charts keep every point', async () => {
  const { page, faults, close } = await open(browser, path);
  await drawAll(page);
  const before_ = await points(page, 'roofline');
  await page.getByLabel('Filter by words').fill('tile=128 vec=8');
  const both = t.config[0].filter((v, i) => v === 128 && t.config[1][i] === 8).length;
  assert.equal(await rowCount(page), both);
  assert.equal(await points(page, 'roofline'), before_);
  await page.getByRole('button', { name: 'Clear' }).click();
  assert.equal(await rowCount(page), 330);
  await page.getByLabel('Status', { exact: true }).selectOption('wrong_result');
  assert.equal(await rowCount(page), t.status.filter((s) => view.statuses[s] === 'wrong_result').length);
  await page.getByLabel('Status', { exact: true }).selectOption('');
  await page.locator('.more summary').click();
  await page.locator('.filters-params').getByLabel('TILE').selectOption('64');
  assert.equal(await rowCount(page), t.config[0].filter((v) => v === 64).length);
  assert.deepEqual([...new Set(await cells(page, FIRST_PARAM))], ['64']);
  await page.getByLabel('Filter by words').fill('no such thing');
  assert.equal(await rowCount(page), 0);
  assert.match(await page.locator('.grid').textContent(), /No trial passes the filter/);
  assert.deepEqual(faults, []);
  await close();
});

test('a row pins its point, the address names it, Escape unpins', async () => {
  const { page, faults, close } = await open(browser, path);
  await drawAll(page);
  const row = page.locator('.grid-body .grid-row').nth(3);
  const trial = t.id[byTime[3]];
  await row.click();
  await until(page, (id) => document.querySelector('.details h3').textContent === 'Trial ' + id, trial);
  assert.equal(await row.getAttribute('aria-selected'), 'true');
  assert.match(page.url(), new RegExp(`trial=${trial}$`));
  assert.ok(await page.locator('#roofline .ring.pinned').isVisible());
  const again = await open(browser, path, {}, new URL(page.url()).hash);
  assert.equal(await pinnedTitle(again.page), `Trial ${trial}`);
  await again.close();
  await page.locator('.grid').focus();
  await page.keyboard.press('Escape');
  assert.ok(await page.locator('#roofline .ring.pinned').isHidden());
  assert.deepEqual(faults, []);
  await close();
});

test('keys alone: skip link, walk through the points, pin, and find the row', async () => {
  const { page, faults, close } = await open(browser, path);
  await page.locator('#roofline canvas').first().waitFor(); // a chart takes keys only after it is drawn
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
  await page.keyboard.press('Enter');
  for (let k = 0; k < 40 && !(await page.evaluate(() => document.activeElement.matches('#roofline .chart'))); ++k) await page.keyboard.press('Tab');
  assert.ok(await page.evaluate(() => document.activeElement.matches('#roofline .chart')));
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  const trial = `Trial ${t.id[byTime[2]]}`;
  await until(page, (title) => document.querySelector('.details h3').textContent === title, trial);
  assert.match(await page.locator('.details [role="status"]').textContent(), new RegExp(`^${trial}, ok`));
  assert.equal(await page.locator('.grid-row[aria-selected="true"]').getAttribute('data-trial'), String(byTime[2]));
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.grid-row[aria-selected="true"]').count(), 0);
  await page.locator('.grid').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  // One row below the one that was found.
  assert.equal(await page.locator('.grid-row[aria-selected="true"]').getAttribute('data-trial'), String(byTime[3]));
  assert.equal(await page.locator('.grid').getAttribute('aria-activedescendant'), 'row-' + byTime[3]);
  assert.deepEqual(faults, []);
  await close();
});

test('a click on a point pins it', async () => {
  const { page, faults, close } = await open(browser, path);
  await drawAll(page);
  const chart = page.locator('#search .chart');
  await chart.scrollIntoViewIfNeeded();
  await chart.focus();
  const timed = byTime[5];
  for (let k = 0; k <= timed; ++k) await page.keyboard.press(k ? 'ArrowRight' : 'Home');
  // The details of a point appear a frame later, may be longer than the previous ones, and then move the chart.
  const shown = () => until(page, (title) => document.querySelector('.details h3').textContent === title, `Trial ${t.id[timed]}`);
  await shown();
  const ring = await page.locator('#search .ring.hovered').boundingBox();
  await page.mouse.move(ring.x + ring.width / 2, ring.y + ring.height / 2);
  await page.mouse.down();
  await page.mouse.up();
  await until(page, () => document.querySelector('.details.pinned'));
  await shown();
  assert.deepEqual(faults, []);
  await close();
});

test('levels, colours and roofs can be chosen', async () => {
  const { page, faults, close } = await open(browser, path);
  await drawAll(page);
  const timed = byTime.length;
  for (const [name, times] of [['L2', 1], ['L1 / shared', 1], ['all', 3], ['DRAM', 1]]) {
    await page.getByLabel('Memory level').getByRole('button', { name, exact: true }).click();
    assert.equal(await points(page, 'roofline'), timed * times, name);
    const bytes = name === 'all' ? 'the bytes of all memory levels' : `${name.split(' ')[0]} bytes`;
    assert.ok((await page.locator('#roofline .caption').textContent()).includes(` timed trials, by ${bytes}.`), name);
  }
  await page.getByLabel('Colour by').selectOption('1');
  assert.match(await page.locator('#roofline .legend').textContent(), /VEC 1VEC 2VEC 4VEC 8/);
  await page.getByLabel('Colour by').selectOption('status');
  await page.getByLabel('every roof').check();
  assert.deepEqual(faults, []);
  await close();
});

test('ten thousand trials: few rows exist, points and keys work', async () => {
  const big = makeView({ n: 10000 });
  const { page, faults, close } = await open(browser, write('ten_thousand.html', makeReport([big])));
  await drawAll(page);
  assert.equal(await points(page, 'roofline'), big.trials.median_us.filter((v) => v > 0).length);
  assert.equal(await rowCount(page), 10000);
  assert.ok(await page.locator('.grid-body .grid-row').count() < 60);
  const chart = page.locator('#roofline .chart');
  await chart.scrollIntoViewIfNeeded();
  await chart.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Home');
  assert.ok(await page.locator('#roofline .ring.hovered').isVisible());
  await page.keyboard.press('+');
  await page.keyboard.press('0');
  await page.locator('.grid').focus();
  await page.keyboard.press('End');
  assert.ok(await page.locator('.grid-row.cursor').isVisible());
  assert.equal(await page.locator('.grid-row.cursor').getAttribute('aria-rowindex'), '10001');
  assert.ok(await page.locator('.grid-body .grid-row').count() < 60);
  await page.getByLabel('Filter by words').fill('stages=4');
  assert.equal(await rowCount(page), big.trials.config[3].filter((v) => v === 4).length);
  assert.deepEqual(faults, []);
  await close();
});
