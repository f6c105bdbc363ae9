// Pages that `warptune report` writes from replayed recordings show the content of its database.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { unpackTrials } from '../../src/report/web/unpack.js';
import { drawAll, launch, open, points, rowCount, screenshot, work } from './support.mjs';

const JOBS = [['softmax', 'rows=32768,cols=4096', 'bf16'], ['sgemm', 'm=4096,n=4096,k=4096', 'fp32'], ['axpy', 'n=67108864', 'fp32']];
const folder = process.env.WT_SOURCES;
const env = { ...process.env, WARPTUNE_RECORDINGS: join(folder, 'recordings'), WARPTUNE_TEMPLATES: join(folder, 'kernel_templates') };
const warptune = (...args) => execFileSync(process.env.WT_PROGRAM, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

test('every result of the database has its page, with all of its trials', async () => {
  const db = join(work, 'recorded.db');
  const html = join(work, 'recorded.html');
  for (const file of [db, db + '-wal', db + '-shm', html]) rmSync(file, { force: true });
  for (const [kernel, shape, dtype] of JOBS) warptune('tune', kernel, '--shape', shape, '--dtype', dtype, '--device', 'replay', '--db', db);
  warptune('report', '--db', db, '-o', html);
  const data = JSON.parse(warptune('report', '--db', db, '--json'));
  assert.equal(data.views.length, JOBS.length);
  assert.equal(`warptune ${data.warptune}`, warptune('--version').trim(), 'the version of the program, not of a format');
  assert.ok(readFileSync(html).length < 3_000_000);
  // The page packs its columns; unpacked, they must be the same.
  const carried = JSON.parse(/id="wt-data">(.*?)<\/script>/.exec(readFileSync(html, 'utf8'))[1]);
  assert.ok(JSON.stringify(carried).includes('{"all":'));
  for (const view of carried.views) view.trials = unpackTrials(view.trials);
  assert.deepEqual({ ...carried, generated_at: '' }, { ...data, generated_at: '' });
  for (const view of data.views) {
    const { page, faults, close } = await open(browser, html, {}, '#' + new URLSearchParams({ view: view.id }));
    await drawAll(page);
    const rows = await rowCount(page);
    const recorded = JSON.parse(warptune('show', 'trials', '--session', String(view.session.id), '--db', db, '--json'));
    assert.equal(rows, (recorded.trials ?? recorded).length, view.id);
    assert.equal(await points(page, 'roofline') > 0 && await points(page, 'search'), view.trials.median_us.filter((v) => v > 0).length, view.id);
    assert.ok((await page.locator('.verdict').textContent()).includes(view.bound.sentence));
    assert.ok(await page.locator('#provenance .scroll').evaluate((s) => s.scrollHeight <= s.clientHeight), 'all roofs are visible');
    assert.deepEqual(faults, []);
    await screenshot(page, 'recorded_' + view.kernel);
    await close();
  }
  const { page, close } = await open(browser, html, { javaScriptEnabled: false });
  assert.ok(await page.locator('#wt-static svg').first().isVisible());
  assert.ok(await page.locator('#wt-static table').first().isVisible());
  await close();
});
