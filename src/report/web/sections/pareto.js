// Time against energy, if power was measured.
import { axis, base, makeChart } from '../charts.js';
import { h } from '../dom.js';
import { energy, percent, time } from '../format.js';
import { tooltip } from './roofline.js';

export function paretoSection(model, state, scope) {
  const t = model.trials;
  const at = (i) => (model.timed(i) && t.energy_mj[i] > 0 ? [t.median_us[i], t.energy_mj[i]] : null);
  const all = model.timedIndices.filter(at);
  if (!all.length) return null;
  const front = model.view.pareto.filter(at).sort((a, b) => t.median_us[a] - t.median_us[b]);
  const thrifty = all.reduce((a, b) => (t.energy_mj[b] < t.energy_mj[a] ? b : a));
  const fastest = all.reduce((a, b) => (t.median_us[b] < t.median_us[a] ? b : a));
  const text = thrifty === fastest ? 'The fastest measured candidate also needs the least energy.'
    : `The candidate with the least energy needs ${percent(1 - t.energy_mj[thrifty] / t.energy_mj[fastest], 1)} less energy than the fastest and takes ${percent(t.median_us[thrifty] / t.median_us[fastest] - 1, 1)} longer.`;
  const render = (theme) => {
    const option = base(theme, `Time and energy of ${all.length} candidates. ${text}`);
    option.tooltip.formatter = (p) => (p.seriesType === 'scatter' ? h('div', null, tooltip(model, p.value[2]), h('div', null, energy(t.energy_mj[p.value[2]]))) : '');
    const label = (f) => ({ formatter: f, color: theme.soft, fontSize: 11, hideOverlap: true });
    return {
      ...option, grid: { left: 66, right: 18, top: 14, bottom: 44 },
      xAxis: axis(theme, 'median time', { type: 'value', scale: true, axisLabel: label((v) => time(v, 3)) }),
      yAxis: axis(theme, 'energy of one launch sequence', { type: 'value', scale: true, nameGap: 52, axisLabel: label((v) => energy(v)) }),
      series: [
        { type: 'line', data: front.map(at), step: 'end', symbol: 'none', silent: true, lineStyle: { color: theme.accent, width: 1.6 } },
        { type: 'scatter', data: all.map((i) => [...at(i), i]), symbolSize: (v) => (front.includes(v[2]) ? 10 : 7), emphasis: { disabled: true },
          itemStyle: { color: (p) => (front.includes(p.value[2]) ? theme.accent : theme.point), opacity: 0.85 } },
      ],
    };
  };
  const chart = makeChart(scope, {
    label: 'Time against energy. Arrow keys select the candidates, Enter pins.', height: 280, render,
    points: { at, order: () => [...all].sort((a, b) => t.median_us[a] - t.median_us[b]) },
  });
  return h('div', null, chart.element, h('p.caption', null, text, ` Measured for ${all.length} of ${model.timedIndices.length} candidates; the line joins the candidates that no other beats in both time and energy.`));
}
