// How the page's modules handle values: numbers, sorting, filters, which trials count; needs no browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnsOf, sorted } from '../../src/report/web/columns.js';
import { bytes, count, energy, number, percent, rate, speedup, tflops, time } from '../../src/report/web/format.js';
import { makeModel } from '../../src/report/web/model.js';
import { makeState } from '../../src/report/web/state.js';
import { makeView } from './fixture.mjs';

const plainSpaces = (text) => text.replace(/\u00a0/g, ' ').replace(/\u202f/g, '_');

test('numbers have their digits, their groups and their unit', () => {
  for (const [is, text] of [
    [number(0.012345), '0.0123'], [number(-2), '−2.00'], [number(9999), '9999'], [number(12345.6), '12_346'], [number(1234567), '1_234_567'], [number(null), '–'], [number(NaN), '–'],
    [time(0.5), '500.0 ns'], [time(132.04), '132.0 us'], [time(1500), '1.500 ms'], [time(2.5e6), '2.500 s'],
    [rate(4391), '4.39 TB/s'], [rate(12), '12.0 GB/s'], [tflops(0.5), '500 GFLOP/s'], [tflops(989), '989 TFLOP/s'],
    [bytes(0), '0 B'], [bytes(2048), '2.05 kB'], [bytes(5.4e8), '540 MB'], [bytes(3e9), '3.00 GB'],
    [energy(0.5), '500 uJ'], [energy(71.25), '71.3 mJ'], [energy(1500), '1.50 J'],
    [percent(0.931), '93 %'], [percent(0.0123, 1), '1.2 %'], [count(149e6), '149_000_000'], [speedup(1.5), '1.50×'],
  ]) assert.equal(plainSpaces(is), text);
});

test('half of the interval, as a share of the median', () => {
  const view = makeView({ n: 5 });
  Object.assign(view.trials, { median_us: [100, 100, null, 100, 100], ci_low_us: [99, 98, null, null, 99], ci_high_us: [101, 104, null, null, 101] });
  const half = columnsOf(makeModel(view), false).find((c) => c.title === '± %');
  assert.deepEqual([0, 1, 2, 3].map((i) => half.text(i)), ['1.0', '3.0', '–', '–']);
});

test('params whose values are words are not numbers', () => {
  const view = makeView({ n: 3 });
  view.trials.config[0] = ['rows', null, 'columns'];
  const columns = columnsOf(makeModel(view), false);
  assert.deepEqual(view.params.slice(0, 2).map((p) => columns.find((c) => c.title === p.name).number), [false, true]);
});

test('a param has the meaning that it has in the implementation of the trial', () => {
  const view = makeView({ n: 2 });
  Object.assign(view.params[0], { name: 'implementation' });
  Object.assign(view.params[1], { meaning: 'all', meanings: { simt: 'slices', wgmma: 'stages' } });
  view.trials.config[0] = ['wgmma', 'skinny'];
  const model = makeModel(view);
  assert.deepEqual([0, 1].map((i) => model.meaning(view.params[1], i)), ['stages', '']);
  assert.equal(model.meaning(view.params[2], 0), view.params[2].meaning);
});

test('unknown values come last, whichever way', () => {
  const column = { value: (i) => [3, null, 1, undefined, 2][i] };
  assert.deepEqual(sorted([0, 1, 2, 3, 4], column, false), [2, 4, 0, 1, 3]);
  assert.deepEqual(sorted([0, 1, 2, 3, 4], column, true), [0, 4, 2, 1, 3]);
});

test('a filter is words, a status and values together, and Clear ends them all', () => {
  const view = makeView({ n: 200 });
  const state = makeState(makeModel(view));
  const value = view.trials.config[0][0];
  state.setParam(0, value);
  state.setFilter({ text: 'vec=4 ok', status: 'ok' });
  const { config, status } = view.trials;
  assert.deepEqual(state.passing, [...Array(200).keys()].filter((i) => config[0][i] === value && config[1][i] === 4 && status[i] === 0));
  assert.ok(state.passing.length > 0 && state.passing.length < 40);
  assert.deepEqual([0, 1].map(state.passes), [0, 1].map((i) => state.passing.includes(i)));
  state.clearFilter();
  assert.equal(state.passing.length, 200);
});

test('a wrong result that has a time is no candidate', () => {
  const view = makeView({ n: 60 });
  const wrong = view.trials.status.findIndex((s) => s !== 0);
  view.trials.median_us[wrong] = 1;
  const model = makeModel(view);
  assert.equal(model.timed(wrong), false);
  assert.ok(!model.timedIndices.includes(wrong));
  assert.ok(model.bestSoFar.every(([i]) => i !== wrong));
});

test('the roof of a level is the relevant one, as it was measured', () => {
  const view = makeView({ n: 5 });
  assert.equal(makeModel(view).roofGbs('DRAM'), 4234);
  view.roofs.find((r) => r.id === 'dram_mix').measured = null;
  assert.equal(makeModel(view).roofGbs('DRAM'), 4800, 'the theoretical one where none was measured');
  assert.equal(makeModel(view).roofGbs('L1'), 31200, 'the only one');
});
