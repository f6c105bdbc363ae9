// The effect of each parameter: the spread of the times for each of its values, and the best time of each value.
import { axis, base, logAxis, makeChart } from '../charts.js';
import { h } from '../dom.js';
import { percent, plain, time } from '../format.js';

const quantile = (sorted, q) => {
  const at = (sorted.length - 1) * q;
  const k = Math.floor(at);
  return sorted[k] + (sorted[Math.min(k + 1, sorted.length - 1)] - sorted[k]) * (at - k);
};

// Per value: five numbers of the times, and the best trial.
export function effects(model, k) {
  const t = model.trials;
  return model.occurring[k].map((value) => {
    const trials = model.timedIndices.filter((i) => t.config[k][i] === value).sort((a, b) => t.median_us[a] - t.median_us[b]);
    const times = trials.map((i) => t.median_us[i]);
    return { value, n: times.length, best: trials[0] ?? null, five: times.length ? [0, 0.25, 0.5, 0.75, 1].map((q) => quantile(times, q)) : null };
  });
}

function sentence(model, found) {
  const timed = found.filter((e) => e.best !== null).sort((a, b) => a.five[0] - b.five[0]);
  if (!timed.length) return 'Nothing was timed.';
  const cost = timed.length > 1 ? timed[timed.length - 1].five[0] / timed[0].five[0] - 1 : 0;
  return `Best at ${timed[0].value}: ${time(timed[0].five[0], 3)}.${timed.length > 1 ? ` The best time at ${timed[timed.length - 1].value} is ${percent(cost, cost < 0.1 ? 1 : 0)} longer.` : ''}`;
}

function parameter(model, k, state, scope) {
  const found = effects(model, k);
  const p = model.view.params[k];
  const text = sentence(model, found);
  const bests = found.map((e) => e.five && e.five[0]);
  const least = bests.reduce((a, b) => (b > 0 ? Math.min(a, b) : a), Infinity);
  const render = (theme, width) => {
    const option = base(theme, `Times by ${p.name}. ${text}`);
    option.tooltip.formatter = (event) => {
      const e = found[event.dataIndex];
      if (!e || !e.five) return '';
      return h('div', null, h('strong', null, `${p.name} = ${e.value}`), h('div', null, `${e.n} timed, best ${time(e.five[0])}`),
        h('div', null, `median ${time(e.five[2])}, middle half ${time(e.five[1], 3)} to ${time(e.five[3], 3)}`), h('div', null, `worst ${time(e.five[4], 3)}`));
    };
    return {
      ...option, grid: { left: 58, right: 8, top: 8, bottom: 26 },
      xAxis: axis(theme, '', { type: 'category', data: found.map((e) => plain(e.value)), splitLine: { show: false }, axisLabel: { color: theme.soft, fontSize: 11, hideOverlap: true } }),
      yAxis: logAxis(theme, '', [least / 1.2, found.reduce((a, e) => Math.max(a, e.five ? e.five[4] : 0), 0) * 1.2], (v) => time(v, 3)),
      series: [
        { type: 'boxplot', data: found.map((e) => e.five || ['-', '-', '-', '-', '-']), boxWidth: [6, Math.min(26, width / found.length / 2)], itemStyle: { color: theme.grid, borderColor: theme.point, borderWidth: 1.2 }, emphasis: { disabled: true } },
        { type: 'scatter', z: 5, symbol: 'diamond', data: bests.map((b, j) => (b > 0 ? [j, b, found[j].best] : [j, '-'])), emphasis: { disabled: true },
          symbolSize: (v) => (v[1] === least ? 11 : 7), itemStyle: { opacity: 1, color: (q) => (q.value[1] === least ? theme.accent : theme.ink) } },
      ],
    };
  };
  const chart = makeChart(scope, {
    label: `Times by ${p.name}. Arrow keys select the best trial of each value, Enter pins it.`, height: 170, render,
    points: {
      at: (i) => { const j = found.findIndex((e) => e.best === i); return j < 0 ? null : [j, bests[j]]; },
      order: () => found.map((e) => e.best).filter((i) => i !== null),
    },
  });
  return h('figure.parameter', null, h('figcaption', null, h('b', null, p.name), p.meaning ? h('span', null, p.meaning) : null), chart.element, h('p.caption', null, text));
}

export function paramsSection(model, state, scope) {
  if (!model.varying.length || !model.timedIndices.length) return null;
  // The parameter with the largest effect first.
  const reach = (k) => { const b = effects(model, k).filter((e) => e.five).map((e) => e.five[0]); return Math.max(...b) / Math.min(...b); };
  const order = model.varying.map((k) => [k, reach(k)]).sort((a, b) => b[1] - a[1]).map(([k]) => k);
  const fixed = model.view.params.filter((_, k) => model.occurring[k].length === 1);
  return h('div', null,
    h('p.caption', null, 'Each box spans the middle half of the times for a value; its whiskers reach the best and the worst time, and a diamond marks the best. The parameters with the largest effect on the best time come first.'),
    h('div.parameters', null, order.map((k) => parameter(model, k, state, scope))),
    fixed.length ? h('p.caption', null, 'Did not vary: ', fixed.map((p) => p.name).join(', '), '.') : null);
}
