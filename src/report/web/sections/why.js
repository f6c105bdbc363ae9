// Why the default takes longer than the winner: what differs, and what accounts for the difference.
import { h } from '../dom.js';
import { bytes, number, percent, plain, time, words } from '../format.js';

const SMALL = 0.005; // of the difference; stalls that explain less are left out
const MOST_LINES = 10;

const work = (v, unit) => (!(v > 0) ? '–' : unit === 'B' ? bytes(v) : unit === 'instructions' ? number(v / 1e6) + '\u00a0M' : number(v / 1e9) + '\u00a0Gop');

function table(label, heads, rows) {
  return h('div.scroll', { tabindex: 0, role: 'region', 'aria-label': label }, h('table.numbers', null, h('caption', null, label),
    h('thead', null, h('tr', null, heads.map((c) => h('th', { scope: 'col' }, c)))),
    h('tbody', null, rows.map(([name, ...cells]) => h('tr', null, h('th', { scope: 'row' }, name), cells.map((c) => h('td', null, c)))))));
}

export function whySection(model) {
  const { why, params } = model.view;
  if (!why) return null;
  const [a, b] = [model.bestTrial, model.defaultTrial];
  const column = model.trials;
  const facts = [...params.map((p, k) => [p.name, plain(column.config[k][a]), plain(column.config[k][b])]),
    ['registers per thread', plain(column.registers[a]), plain(column.registers[b])], ['occupancy', percent(column.occupancy[a]), percent(column.occupancy[b])],
    ['shared memory per block', bytes(column.shared_bytes[a] ?? 0), bytes(column.shared_bytes[b] ?? 0)],
    ['spills per thread', bytes(column.spill_bytes[a] ?? 0), bytes(column.spill_bytes[b] ?? 0)]].filter(([, x, y]) => x !== y);
  const stalls = why.stalls.filter((s) => Math.abs(s.explains) >= SMALL);
  return h('div', null,
    h('p.why-verdict', null, why.verdict),
    h('p.caption', null, `Measured ${why.ratio.measured}.`,
      why.resources.length || stalls.length || why.lines.length ? ' “Explains” is the difference of the two values divided by the difference of the times; it may exceed 100\u00a0%, because resources work at the same time.' : ''),
    h('div.columns', null,
      table('Params and resources that differ', ['', 'winner', 'default'], [['time', time(why.a.time_us), time(why.b.time_us)], ...facts]),
      why.resources.length ? table('Busy time of each resource', ['', 'winner', 'default', 'explains', 'work'], why.resources.map((r) => [r.resource, time(r.a_busy_us, 3), time(r.b_busy_us, 3),
        percent(r.explains), `${work(r.a, r.unit)} → ${work(r.b, r.unit)}${r.counted ? '' : ' (model)'}`])) : null,
      stalls.length ? table('Time of the warps by activity', ['', 'winner', 'default', 'explains'], stalls.map((s) => [words(s.reason), time(s.a_us, 3), time(s.b_us, 3), percent(s.explains)])) : null,
    ),
    why.lines.length ? table('Time by source line', ['', 'winner', 'default', 'explains', 'default stalls on', 'source'], why.lines.slice(0, MOST_LINES).map((l) => [l.file ? `${l.file}:${l.line}` : 'not known', time(l.a_us, 3), time(l.b_us, 3),
        percent(l.explains), words(l.b_stall ?? '–'), h('code', null, (l.text ?? '').trim())])) : null);
}
