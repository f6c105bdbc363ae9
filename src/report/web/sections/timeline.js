// The search over time: each trial in its order, the best so far, and below them the failures by kind.
import { axis, base, logAxis, makeChart } from '../charts.js';
import { h } from '../dom.js';
import { count, percent, plural, time, words } from '../format.js';
import { categorical } from '../theme.js';
import { tooltip } from './roofline.js';

export function timelineSection(model, state, scope) {
  const t = model.trials;
  const failed = model.indices.filter((i) => !model.timed(i));
  const kinds = [...new Set(failed.map((i) => model.status(i)))];
  const strip = kinds.length * 15;
  const points = model.timedIndices.map((i) => [i + 1, t.median_us[i], i]);
  const steps = model.bestSoFar.map(([i, us]) => [i + 1, us]);
  if (steps.length) steps.push([model.n, steps[steps.length - 1][1]]);
  const [first] = model.bestSoFar;
  const last = model.bestSoFar[model.bestSoFar.length - 1];
  const won = model.bestTrial !== null && model.timed(model.bestTrial);
  const text = `${plural(model.n, 'trial')}, ${count(model.timedIndices.length)} timed, ${count(failed.length)} failed.`
    + (last ? ` The fastest came at trial ${last[0] + 1} (${percent((last[0] + 1) / model.n)} of the search)${last !== first ? `, after ${plural(model.bestSoFar.length - 1, 'improvement')}` : ''}.` : '')
    + (won && last && last[0] !== model.bestTrial ? ` The finals chose trial ${model.bestTrial + 1}.` : '');

  function render(theme, width) {
    const narrow = width < 520;
    const left = narrow ? 60 : 96;
    const grids = [{ left, right: 14, top: 12, bottom: 44 + (strip ? strip + 10 : 0) }];
    const option = base(theme, 'The search over time. ' + text);
    option.tooltip.formatter = (p) => (p.seriesType !== 'scatter' ? '' : p.seriesId !== 'failed' ? tooltip(model, p.value[2], model.levels[0])
      : h('div', null, h('strong', null, `#${t.id[p.value[2]]} ${words(model.status(p.value[2]))}`), h('div.tip-evidence', null, model.evidence(p.value[2]).slice(0, 200))));
    const xs = { type: 'value', min: 0, max: model.n + 1, minInterval: 1, splitLine: { show: false } };
    const xAxes = [axis(theme, strip ? '' : 'trial', { ...xs, axisLabel: { show: !strip, color: theme.soft, fontSize: 11, showMaxLabel: false } })];
    const yAxes = [logAxis(theme, narrow ? '' : 'median time', range(), (v) => time(v, 3), { nameGap: 60 })];
    const series = [
      { type: 'scatter', id: 'timed', data: points, symbolSize: model.n > 2000 ? 3 : 5, progressive: 2000, itemStyle: { color: theme.point, opacity: 0.6 }, emphasis: { disabled: true } },
      { type: 'line', id: 'best', data: steps, step: 'end', symbol: 'none', silent: true, lineStyle: { color: theme.accent, width: 2 }, z: 4 },
    ];
    if (won) {
      series.push({
        type: 'scatter', id: 'winner', data: [[model.bestTrial + 1, t.median_us[model.bestTrial], model.bestTrial]], z: 6, symbol: 'diamond', symbolSize: 13,
        itemStyle: { color: theme.accent, borderColor: theme.paper, borderWidth: 1.5, opacity: 1 }, emphasis: { disabled: true },
      });
    }
    if (strip) {
      grids.push({ left, right: 14, bottom: 44, height: strip });
      xAxes.push(axis(theme, 'trial', { ...xs, gridIndex: 1, axisLabel: { color: theme.soft, fontSize: 11, showMaxLabel: false } }));
      yAxes.push(axis(theme, '', { type: 'category', gridIndex: 1, data: kinds.map(words), axisLine: { show: false }, splitLine: { show: false }, axisLabel: { color: theme.soft, fontSize: narrow ? 9 : 11, interval: 0, width: left - 8, overflow: 'truncate' } }));
      series.push({
        type: 'scatter', id: 'failed', xAxisIndex: 1, yAxisIndex: 1, symbol: 'rect', symbolSize: [2, 10], emphasis: { disabled: true },
        data: failed.map((i) => [i + 1, kinds.indexOf(model.status(i)), i]),
        itemStyle: { color: (p) => categorical(model.view.statuses.indexOf(kinds[p.value[1]])) },
      });
    }
    Object.assign(chart.element.dataset, { points: points.length, failed: failed.length });
    return { ...option, grid: grids, xAxis: xAxes, yAxis: yAxes, series };
  }

  function range() {
    const values = points.map((p) => p[1]);
    if (!values.length) return [1, 10];
    return [values.reduce((a, b) => Math.min(a, b)) / 1.15, values.reduce((a, b) => Math.max(a, b)) * 1.15];
  }

  const chart = makeChart(scope, {
    label: 'The search over time. Arrow keys select the trials, Enter pins.', height: 250 + strip, render,
    points: { at: (i) => (model.timed(i) ? [i + 1, t.median_us[i]] : null), order: () => model.indices },
  });
  return h('div', null, chart.element, h('p.caption', null, text, ' The line shows the fastest trial so far', won ? ', the diamond the winner' : '', '.'));
}
