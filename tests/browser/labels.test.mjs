// Names in charts and the heading of the list; needs no browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countOfResults } from '../../src/report/web/format.js';
import { crosses, freePlace, labelSide, sidewaysSide } from '../../src/report/web/labels.js';
import { rooflineLines, roofSeries } from '../../src/report/web/roofs.js';

test('the heading of the list says how many results are not in the report', () => {
  assert.equal(countOfResults(50, 66), '50 of 116 results (the newest; --limit 0 shows all)');
  assert.equal(countOfResults(116, 0), 'All 116 results');
  assert.equal(countOfResults(2, undefined), 'All 2 results', 'data of an earlier version');
});

test('a name goes below its point, or beside it where another mark is there', () => {
  assert.equal(labelSide([0.5, 0.5], []), 'bottom');
  assert.equal(labelSide([0.5, 0.5], [[0.5, 0.6], [0.5, 0.2], [0.9, 0.48]]), 'bottom', 'above, far below, far away');
  assert.equal(labelSide([0.5, 0.5], [[0.5, 0.45]]), 'right');
  assert.equal(labelSide([0.5, 0.5], [[0.45, 0.45]]), 'right');
  assert.equal(labelSide([0.5, 0.5], [[0.5, 0.6], [0.55, 0.45]]), 'left');
});

test('a name beside its point goes to the side where no other mark is', () => {
  assert.equal(sidewaysSide([0.5, 0.5], []), 'left');
  assert.equal(sidewaysSide([0.5, 0.5], [[0.4, 0.51]]), 'right');
  assert.equal(sidewaysSide([0.5, 0.5], [[0.4, 0.51], [0.6, 0.5]]), 'left', 'both are taken');
  assert.equal(sidewaysSide([0.5, 0.5], [[0.4, 0.8], [0.1, 0.5]]), 'left', 'far away');
  assert.equal(sidewaysSide([0.2, 0.5], [], 0.3), 'right', 'the chart ends before the name would');
});

test('a name stays in the chart, and off marks and roofs', () => {
  const size = [0.3, 0.08];
  const placeOf = (at, boxes = [], lines = []) => { const { position, align } = freePlace(at, size, boxes, lines); return `${position} ${align}`; };
  assert.equal(placeOf([0.5, 0.5]), 'top center');
  assert.equal(placeOf([0.05, 0.5]), 'top left', 'it begins at its point, not left of the axis');
  assert.equal(placeOf([0.97, 0.5]), 'top right');
  assert.equal(placeOf([0.5, 0.97]), 'bottom center');
  assert.equal(placeOf([0.5, 0.5], [], [[[0, 0.55], [1, 0.55]]]), 'bottom center', 'a flat roof is just above');
  assert.equal(placeOf([0.05, 0.5], [[0.1, 0.3, 0.3, 0.49]], [[[0, 0.55], [1, 0.55]]]), 'top left', 'a line is better to cover than a mark');
});

test('a line passes through a box', () => {
  const box = [0.4, 0.4, 0.6, 0.5];
  assert.ok(crosses(box, [[0, 0.45], [1, 0.45]]));
  assert.ok(crosses(box, [[1, 0.9], [0, 0]]), 'from right to left');
  assert.ok(!crosses(box, [[0, 0.55], [1, 0.55]]));
  assert.ok(!crosses(box, [[0, 0.45], [0.3, 0.45]]), 'it ends before the box');
  assert.ok(!crosses(box, [[0, 0.5], [0.5, 1]]));
});

// Draws the roofs in a chart of 300 x 380 pixels: the boxes of their names, by name.
function namesOfRoofs(lines, x, y) {
  const share = (v, [low, high]) => Math.log(v / low) / Math.log(high / low);
  const coord = ([a, b]) => [300 * share(a, x), 380 * (1 - share(b, y))];
  const series = roofSeries(lines, {}, 10);
  const names = new Map();
  series.data.forEach((values, dataIndexInside) => {
    const { children } = series.renderItem({ dataIndexInside, coordSys: { x: 0, y: 0, width: 300, height: 380 } }, { coord, value: (k) => values[k] });
    for (const c of children) if (c.type === 'text') names.set(c.style.text, c);
  });
  return { names, coord };
}

test('the name of a flat roof is not on a slanted one, where there is room', () => {
  const roof = (level, measured, unit, label) => ({ level, measured, theoretical: null, unit, label, relevant: true });
  const x = [0.5, 1200], y = [5, 1800];
  const lines = rooflineLines([roof('DRAM', 4300, 'GB/s', 'DRAM'), roof('compute', 64.4, 'TFLOP/s', 'fp32'), roof('compute', 963, 'TFLOP/s', 'tensor bf16')], { x, level: 'DRAM', narrow: true });
  const { names, coord } = namesOfRoofs(lines, x, y);
  const slanted = lines.filter((l) => !l.flat).map((l) => [coord(l.from), coord(l.to)]);
  assert.equal(slanted.length, 1);
  for (const label of ['fp32 64.4\u00a0TFLOP/s', 'tensor bf16 963\u00a0TFLOP/s']) {
    const { x: middle, y: at } = names.get(label);
    const half = (label.length * 10 * 0.55) / 2;
    assert.ok(!crosses([middle - half, at - 6, middle + half, at + 6], slanted[0]), label);
    assert.ok(middle - half >= 0 && middle + half <= 300, label);
  }
});
