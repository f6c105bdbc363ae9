// All results: the kernels ranked by their possible gain, then every result in the same order.
import { breakable, h } from '../dom.js';
import { aimOf, percent, plural, shortProblem, speedup, time } from '../format.js';

// The share of a winner's time above the minimum that its roof allows; null: not known.
export function leftOf(view) {
  const share = view.best && view.best.roofline_share;
  return share > 0 ? Math.max(0, 1 - share) : null;
}

// "at most 1.10×"; the same in the list of kernels and on the page of a kernel.
export const leftText = (left) => (left === null ? '–' : left < 0.005 ? 'nothing' : `at most ${speedup(1 / (1 - left))}`);
const later = (a, b) => (b ?? -1) - (a ?? -1);

// [{name, views, left, us}]: `us` is the sum of one launch of each result, `left` the share of it above the roofs.
export function rankKernels(views) {
  const kernels = new Map();
  for (const view of views) {
    const one = kernels.get(view.kernel) ?? { name: view.kernel, views: [], us: 0, above: 0, known: 0 };
    kernels.set(view.kernel, one);
    one.views.push(view);
    const left = leftOf(view);
    if (left === null) continue;
    one.us += view.best.median_us;
    one.above += left * view.best.median_us;
    one.known += 1;
  }
  return [...kernels.values()].map((k) => ({ ...k, left: k.us > 0 ? k.above / k.us : null })).sort((a, b) => later(a.left, b.left));
}

export function indexSection(report, hashOfView, hashOfKernel, devices) {
  const cell = (label, text) => h('td', { 'data-label': label }, text);
  const heads = (names) => h('thead', null, h('tr', null, names.map((c) => h('th', { scope: 'col' }, c))));
  const kernels = rankKernels(report.views);
  const views = [...report.views].sort((a, b) => later(leftOf(a), leftOf(b)));
  const region = (label, table) => h('div.scroll', { tabindex: 0, role: 'region', 'aria-label': label }, table);
  return [
    region('Kernels, largest possible gain first', h('table.kernels', null, heads(['kernel', 'results', 'left to gain', 'could save', 'farthest from its roof']),
      h('tbody', null, kernels.map((k) => {
        const worst = [...k.views].sort((a, b) => later(leftOf(a), leftOf(b)))[0];
        return h('tr', null, h('th', { scope: 'row' }, h('a', { href: hashOfKernel(k.name) }, k.name)),
          cell('results', plural(k.views.length, 'result')), cell('left to gain', leftText(k.left)), cell('could save', k.left === null ? '–' : percent(k.left)),
          h('td.problem-cell', { 'data-label': 'farthest from its roof' }, leftOf(worst) === null ? '–' : h('a', { href: hashOfView(worst.id) }, breakable(shortProblem(worst.problem) + aimOf(worst)))));
      })))),
    h('p.caption', null, 'Left to gain: how much faster the winners would be if each reached its roof. Could save: the share of their time that the winners would then save. Both are upper limits from the model of the kernel’s work, not predictions.'),
    region('All results', h('table', null, heads(['kernel', 'problem', 'device', 'best', 'vs default', 'of the roof', 'verdict']),
      h('tbody', null, views.map((v) => h('tr', null, h('th', { scope: 'row' }, h('a', { href: hashOfView(v.id) }, v.kernel)),
        h('td.problem-cell', { title: v.problem }, breakable(shortProblem(v.problem) + aimOf(v))), h('td.device-cell', null, devices(v)),
        cell('best', v.best ? time(v.best.median_us) : '–'), cell('vs default', v.best && v.best.default_us > 0 ? speedup(v.best.default_us / v.best.median_us) : '–'),
        cell('of the roof', v.best ? percent(v.best.roofline_share) : '–'), h('td.verdict-cell', null, v.bound ? v.bound.sentence : '')))))),
  ];
}
