// Why the winner's warps wait and what they execute, as bars; a full track is 100 %. Both need counters.
import { h } from '../dom.js';
import { percent, words } from '../format.js';

const PIPE = /inst_executed_pipe_(\w+?)\.sum$/;
const MOST = 10;

function bars(title, caption, entries) {
  return h('div.bars', null, h('h3', null, title), h('p.caption', null, caption), h('ul', null, entries.slice(0, MOST).map(([name, share], k) => h('li', null,
    h('span.bar-name', null, words(name)), h('span.bar-track', { 'aria-hidden': 'true' }, h('span' + (k === 0 ? '.first' : ''), { style: { width: `${Math.min(share, 1) * 100}%` } })),
    h('span.bar-value', null, percent(share, share < 0.1 ? 1 : 0))))),
  entries.length > MOST ? h('p.caption', null, `and ${entries.length - MOST} smaller`) : null);
}

export function winnerSection(model) {
  const i = model.bestTrial;
  const stalls = [...model.view.stalls].filter((s) => s.share > 0).sort((a, b) => b.share - a.share).map((s) => [s.reason, s.share]);
  const pipes = i === null ? [] : model.view.metrics.map((m, k) => [PIPE.exec(m.name), model.trials.counters[k] && model.trials.counters[k][i]])
    .filter(([m, v]) => m && v > 0).map(([m, v]) => [m[1], v]);
  const sum = pipes.reduce((a, [, v]) => a + v, 0);
  if (!stalls.length && !pipes.length) return null;
  return h('div.columns', null, stalls.length ? bars('Why warps wait', 'Share of the cycles of active warps, by the reason for waiting; a full bar is 100\u00a0%.', stalls) : null,
    pipes.length ? bars('Instructions by pipe', 'Share of the executed warp instructions; a full bar is 100\u00a0%.', pipes.map(([p, v]) => [p, v / sum]).sort((a, b) => b[1] - a[1])) : null);
}
