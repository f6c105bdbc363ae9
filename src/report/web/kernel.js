// All results of one kernel: its winners under the roofs, their times against the size, and devices side by side.
import { base, logAxis, makeChart } from './charts.js';
import { h } from './dom.js';
import { aimOf, bytes, number, percent, rate, shortProblem, speedup, tflops, time } from './format.js';
import { leftOf, leftText } from './sections/index.js';
import { categorical } from './theme.js';

const MARGIN = 1.4; // of a chart, beyond its points, as a factor

const known = (values) => values.filter((v) => v > 0);
const limits = (values) => [Math.min(...values) / MARGIN, Math.max(...values) * MARGIN];

// The properties of a result besides its sizes: the dtype, the flags and the objective.
const variantOf = (view) => view.problem.split(';').slice(1).map((s) => s.trim()).join(' ') + aimOf(view);
const sizesOf = (view) => shortProblem(view.problem).split(';')[0];
const traffic = (view) => (view.cost ? view.cost.bytes_read + view.cost.bytes_written : 0);
const operations = (view) => (view.cost ? Object.values(view.cost.flops).reduce((a, b) => a + b, 0) : 0);

function groupsOf(views, key) {
  const groups = new Map();
  for (const view of views) groups.set(key(view), [...(groups.get(key(view)) ?? []), view]);
  return groups;
}

function legend(names) {
  return names.length < 2 ? null : h('ul.legend', null, names.map((name, k) => h('li', null, h('span.dot', { style: { background: categorical(k) } }), name)));
}

function tip(view, label) {
  return h('div', null, h('strong', null, sizesOf(view)), h('div', null, label), h('div', null, time(view.best.median_us)),
    view.best.roofline_share > 0 ? h('div', null, `${percent(view.best.roofline_share)} of the roof`) : null);
}

function scatter(scope, description, label, groups, at, axes, more, onopen) {
  const names = [...groups.keys()];
  const points = names.map((name) => groups.get(name).map((view) => ({ value: at(view), view, name })).filter((p) => p.value));
  const all = points.flat();
  if (!all.length) return null;
  const render = (theme, width) => {
    const option = base(theme, description);
    option.tooltip.formatter = (p) => (p.data && p.data.view ? tip(p.data.view, p.data.name) : '');
    const [x, y] = axes(theme, all.map((p) => p.value));
    return {
      ...option, xAxis: x, yAxis: y, grid: { left: width < 520 ? 56 : 66, right: 16, top: 16, bottom: 44 },
      series: [...more(theme, all.map((p) => p.value)), ...points.map((data, k) => ({
        type: 'scatter', data, symbol: 'diamond', symbolSize: 13, z: 4, itemStyle: { color: categorical(k), borderColor: theme.paper, borderWidth: 1 }, emphasis: { disabled: true },
      }))],
    };
  };
  const chart = makeChart(scope, { label, height: 360, render });
  chart.element.dataset.points = all.length;
  return h('div', null, chart.element, legend(names), h('p.caption', null, description),
    h('ul.visually-hidden', null, all.map((p) => h('li', null, h('a', { href: onopen(p.view) }, `${sizesOf(p.view)}, ${p.name}: ${time(p.view.best.median_us)}`)))));
}

// Every winner by operations per byte of the model, under the roofs of the devices.
function roofline(scope, groups, views, onopen) {
  const at = (view) => (operations(view) > 0 && traffic(view) > 0 ? [operations(view) / traffic(view), operations(view) / view.best.median_us / 1e6] : null);
  const roofs = [...groupsOf(views, (v) => v.device.name)].map(([device, [view]]) => {
    const of = (level) => view.roofs.filter((r) => r.level === level && r.relevant).map((r) => r.measured ?? r.theoretical);
    return { device, gbs: of('DRAM')[0], tflops: Math.max(0, ...of('compute')) };
  }).filter((r) => r.gbs > 0);
  const axes = (theme, values) => [
    logAxis(theme, 'FLOP per byte that must move', limits([...values.map((v) => v[0]), ...known(roofs.map((r) => (r.tflops * 1000) / r.gbs))]), (v) => number(v, 2)),
    logAxis(theme, 'TFLOP/s', limits([...values.map((v) => v[1]), ...known(roofs.map((r) => r.tflops))]), (v) => number(v, 2), { nameGap: 40 }),
  ];
  const lines = (theme, values) => roofs.map((r, k) => {
    const [low, high] = limits([...values.map((v) => v[0]), ...known([(r.tflops * 1000) / r.gbs])]);
    const y = (x) => (r.tflops > 0 ? Math.min((x * r.gbs) / 1000, r.tflops) : (x * r.gbs) / 1000);
    const ridge = (r.tflops * 1000) / r.gbs;
    return { type: 'line', symbol: 'none', silent: true, z: 2, data: [low, ...(ridge > low && ridge < high ? [ridge] : []), high].map((x) => [x, y(x)]),
      lineStyle: { color: theme.roof, width: 1.5, type: k ? [6, 4] : 'solid' } };
  });
  const named = roofs.map((r) => `${r.device}: DRAM ${rate(r.gbs)}${r.tflops > 0 ? `, ${tflops(r.tflops)}` : ''}`).join('; ');
  return scatter(scope, `The winners of all problems, placed by the operations and bytes of the model, and the roofs that the kernel can reach (${named || 'no roof is known'}).`,
    'Roofline of all winners', groups, at, axes, lines, onopen);
}

function sizes(scope, groups, onopen) {
  const at = (view) => (traffic(view) > 0 ? [traffic(view), view.best.median_us] : null);
  const axes = (theme, values) => [logAxis(theme, 'bytes that must move', limits(values.map((v) => v[0])), (v) => bytes(v)),
    logAxis(theme, 'median time of the winner', limits(values.map((v) => v[1])), (v) => time(v, 2), { nameGap: 48 })];
  const joined = () => [...groups.values()].map((list, k) => ({
    type: 'line', symbol: 'none', silent: true, z: 2, data: list.map(at).filter(Boolean).sort((a, b) => a[0] - b[0]), lineStyle: { color: categorical(k), width: 1, opacity: 0.5 },
  }));
  return scatter(scope, 'The time of each winner against the bytes that its problem must move.', 'Time against size', groups, at, axes, joined, onopen);
}

// A row for each problem; a column for each device (and database), with the ratio to the first if there are several.
function beside(views, source, onopen) {
  const columns = [...groupsOf(views, source).keys()];
  const rows = [...groupsOf(views, (v) => v.problem + aimOf(v)).values()].sort((a, b) => traffic(a[0]) - traffic(b[0]));
  return h('div.scroll.beside', { tabindex: 0, role: 'region', 'aria-label': 'Results side by side' }, h('table', null,
    h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'problem'), columns.flatMap((c, k) => [h('th', { scope: 'col' }, c), h('th', { scope: 'col' }, 'left to gain'), k ? h('th', { scope: 'col' }, `vs ${columns[0]}`) : null]))),
    h('tbody', null, rows.map((list) => {
      const first = list.find((v) => source(v) === columns[0]);
      return h('tr', null, h('th', { scope: 'row', title: list[0].problem }, shortProblem(list[0].problem) + aimOf(list[0])), columns.flatMap((c, k) => {
        const view = list.find((v) => source(v) === c);
        const best = view && view.best;
        const left = view ? leftOf(view) : null;
        return [h('td', null, view ? h('a', { href: onopen(view) }, best ? time(best.median_us) : 'no winner') : '–'), h('td', null, leftText(left)),
          k ? h('td', null, best && first && first.best ? speedup(first.best.median_us / best.median_us) : '–') : null];
      }));
    }))));
}

// Shows all results of `kernel` in `root`. `source`: the name of a view's device, and of its database if there are several.
export function showKernel(root, kernel, views, source, onopen) {
  const scope = { redraw: [], print: [], end: [] };
  const won = views.filter((v) => v.best && v.best.median_us > 0);
  const several = new Set(views.map(source)).size > 1;
  const groups = groupsOf(won, (v) => [several ? source(v) : '', variantOf(v)].filter(Boolean).join(' · ') || source(v));
  const section = (id, title, body) => body && h('section', { id, 'aria-labelledby': id + '-title' }, h('h2', { id: id + '-title' }, title), body);
  root.append(...[
    h('header.head', null, h('p.eyebrow', null, [...new Set(views.map(source))].map((s) => h('span', null, s))),
      h('h1', null, kernel, ' ', h('span.problem', null, `${views.length} ${views.length === 1 ? 'result' : 'results'}`)), h('p.summary', null, views[0].summary)),
    section('winners', 'All winners', roofline(scope, groups, won, onopen)),
    section('sizes', 'Time against size', sizes(scope, groups, onopen)),
    section('beside', several ? 'Side by side' : 'All problems', beside(views, source, onopen)),
  ].filter(Boolean));
  const all = (list) => () => list.forEach((f) => f());
  return { redraw: all(scope.redraw), print: all(scope.print), end: all(scope.end) };
}
