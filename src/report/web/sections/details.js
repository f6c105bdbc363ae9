// One candidate in full: the hovered one, else the pinned one, else the winner.
import { h, replace, svg } from '../dom.js';
import { bytes, count, energy, flops, number, percent, plural, rate, tflops, time, words } from '../format.js';

const WIDTH = 260, HEIGHT = 44;

function rows(pairs) {
  return h('dl.facts', null, pairs.filter(([, v]) => v !== null && v !== undefined && v !== '–').map(([k, v]) => [h('dt', null, k), h('dd', null, v)]));
}

// Minimum, median and interval on one line, with the spread of the middle half around the median.
function spread(t, i) {
  const [low, high, median, min] = [t.ci_low_us[i], t.ci_high_us[i], t.median_us[i], t.min_us[i]];
  if (!(median > 0)) return null;
  const iqr = (t.rel_iqr[i] ?? 0) * median;
  const from = Math.min(min ?? median, low ?? median, median - iqr / 2);
  const to = Math.max(high ?? median, median + iqr / 2);
  const x = (v) => 6 + ((v - from) / (to - from || 1)) * (WIDTH - 12);
  const box = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'spread', role: 'img', 'aria-label': `median ${time(median)}, interval ${time(low)} to ${time(high)}, minimum ${time(min)}` },
    svg('line', { x1: 6, x2: WIDTH - 6, y1: 16, y2: 16, class: 'spread-axis' }),
    svg('rect', { x: x(median - iqr / 2), width: Math.max(x(median + iqr / 2) - x(median - iqr / 2), 1), y: 8, height: 16, class: 'spread-iqr' }),
    low > 0 && high > 0 ? svg('line', { x1: x(low), x2: Math.max(x(high), x(low) + 1), y1: 16, y2: 16, class: 'spread-ci' }) : '',
    min > 0 ? svg('circle', { cx: x(min), cy: 16, r: 3, class: 'spread-min' }) : '',
    svg('line', { x1: x(median), x2: x(median), y1: 4, y2: 28, class: 'spread-median' }),
    svg('text', { x: 6, y: 42 }, time(from, 3)), svg('text', { x: WIDTH - 6, y: 42, 'text-anchor': 'end' }, time(to, 3)));
  return box;
}

// Explains the marks of the line above, but only those that are drawn.
function legend(t, i) {
  if (!(t.median_us[i] > 0)) return null;
  const marks = [['spread-key-median', 'median'], [t.rel_iqr[i] > 0 && 'spread-key-iqr', 'middle half of the samples'],
    [t.ci_low_us[i] > 0 && t.ci_high_us[i] > 0 && 'spread-key-ci', '95 % interval of the median'], [t.min_us[i] > 0 && 'spread-key-min', 'minimum']];
  return h('ul.legend.spread-legend', null, marks.filter(([key]) => key).map(([key, text]) => h('li', null, h('i.' + key, { 'aria-hidden': 'true' }), text)));
}

const interval = (low, high) => (low > 0 ? `${time(low)} to ${time(high)}` : null);

function content(model, i, how) {
  const t = model.trials;
  const finals = i === model.bestTrial ? model.view.best : null; // measured twice: each median is shown with its own interval
  const evidence = model.evidence(i);
  const levels = model.levels.map((l) => {
    const source = model.source(l, i);
    return [l, source && t.levels[l].gbs[i] > 0 ? `${rate(t.levels[l].gbs[i])}, ${bytes(t.levels[l].bytes[i])} (${source})` : null];
  });
  const counters = model.view.metrics.map((m, k) => [m, t.counters[k] && t.counters[k][i]]).filter(([, v]) => v !== null && v !== undefined);
  return [
    h('div.details-head', null, h('h3', null, `Trial ${t.id[i]}`), h('span.badge', null, words(model.status(i))),
      model.mark(i) ? h('span.badge.accent', null, model.mark(i)) : null, h('span.how', null, how)),
    h('ul.config', { 'aria-label': 'Configuration' }, model.view.params.map((p, k) => [p, t.config[k][i]]).filter(([, value]) => value !== null && value !== undefined)
      .map(([p, value]) => h('li', { title: model.meaning(p, i) }, h('span', null, p.name), h('b', null, value)))),
    evidence ? h('pre.evidence', { tabindex: 0, 'aria-label': 'Diagnostic' }, evidence) : null,
    spread(t, i),
    legend(t, i),
    rows([
      ['median in the finals', finals ? time(finals.median_us) : null], ['95 % interval', finals ? interval(finals.ci_low_us, finals.ci_high_us) : null],
      [finals ? 'median in the search' : 'median', time(t.median_us[i])], ['95 % interval', interval(t.ci_low_us[i], t.ci_high_us[i])],
      ['minimum', time(t.min_us[i])], ['IQR / median', percent(t.rel_iqr[i], 2)],
      ['samples', t.samples[i] === null ? null : count(t.samples[i]) + (t.complete[i] === false ? ' (stopped early)' : '')],
      ['rate', t.tflops[i] > 0 ? tflops(t.tflops[i]) : null], ...levels,
      ...(t.registers[i] === 0 ? [] // a library call: the resources of its kernels are not known
        : [['registers', count(t.registers[i])], ['spills', bytes(t.spill_bytes[i])], ['shared memory', bytes(t.shared_bytes[i])]]),
      ['occupancy', percent(t.occupancy[i])], ['compiled in', t.compile_ms[i] === null ? null : time(t.compile_ms[i] * 1000, 3)],
      ['energy', energy(t.energy_mj[i])], ['power', t.average_w[i] ? number(t.average_w[i]) + '\u00a0W' : null],
      ['SM clock', t.sm_clock_mhz[i] > 0 ? count(t.sm_clock_mhz[i]) + '\u00a0MHz' + (t.throttled[i] ? ', throttled' : '') : null],
      ['lowest SM clock', t.sm_clock_min_mhz?.[i] > 0 ? count(t.sm_clock_min_mhz[i]) + '\u00a0MHz' : null],
      ['temperature', t.temperature_c[i] > 0 ? number(t.temperature_c[i]) + '\u00a0°C' : null],
    ]),
    counters.length ? h('details.counters', { open: counters.length <= 8 }, h('summary', null, plural(counters.length, 'counter')),
      h('dl.facts', null, counters.map(([m, v]) => [h('dt', { title: m.meaning || m.name }, m.name), h('dd', null, number(v, 4))]))) : null,
  ];
}

export function detailsSection(model, state) {
  const body = h('div.details-body');
  const live = h('p.visually-hidden', { role: 'status' });
  const unpin = h('button.quiet', { type: 'button', hidden: true, onclick: () => state.pin(null) }, 'Unpin');
  const panel = h('aside.details', { 'aria-label': 'Details of one candidate' }, body, unpin, live);
  let queued = false;
  const show = () => {
    queued = false;
    const i = state.shown() ?? model.bestTrial ?? model.defaultTrial;
    unpin.hidden = state.pinned === null;
    if (i === null || i === undefined) return replace(body, h('p.empty', null, 'Point at a candidate, or choose one in the table.'));
    const how = state.hovered !== null ? (state.pinned === i ? 'pinned' : 'under the pointer') : state.pinned !== null ? 'pinned' : model.bestTrial !== null ? 'the winner' : 'the default';
    panel.classList.toggle('pinned', state.pinned === i);
    replace(body, content(model, i, how));
    if (state.shown() !== null) live.textContent = `Trial ${model.trials.id[i]}, ${words(model.status(i))}, ${time(model.trials.median_us[i])}, ${model.config(i).join(', ')}`;
    return body;
  };
  const later = () => { if (!queued) { queued = true; requestAnimationFrame(show); } };
  state.on('pin', later);
  state.on('hover', later);
  show();
  return panel;
}

export const costText = (cost) => cost && [
  `reads ${bytes(cost.bytes_read)}, writes ${bytes(cost.bytes_written)}`,
  ...Object.entries(cost.flops).map(([pipe, n]) => `${flops(n)} ${pipe}`)].join('; ');
