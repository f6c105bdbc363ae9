// Names in charts; needs no browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelSide, sidewaysSide } from '../../src/report/web/labels.js';

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
