// Names in charts; needs no browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelSide } from '../../src/report/web/labels.js';

test('a name goes below its point, or beside it where another mark is there', () => {
  assert.equal(labelSide([0.5, 0.5], []), 'bottom');
  assert.equal(labelSide([0.5, 0.5], [[0.5, 0.6], [0.5, 0.2], [0.9, 0.48]]), 'bottom', 'above, far below, far away');
  assert.equal(labelSide([0.5, 0.5], [[0.5, 0.45]]), 'right');
  assert.equal(labelSide([0.5, 0.5], [[0.45, 0.45]]), 'right');
  assert.equal(labelSide([0.5, 0.5], [[0.5, 0.6], [0.55, 0.45]]), 'left');
});
