// Reads the report's data, shows the view that the address names, and lets the reader change it.
import { h, replace } from './dom.js';
import { aimOf, percent, shortProblem, speedup, time } from './format.js';
import { isDark, onTheme, startTheme, toggleTheme } from './theme.js';
import { unpackTrials } from './unpack.js';
import { showView } from './view.js';

const FORMAT = 1;

// #view=<id>&trial=<number>
function address() {
  const p = new URLSearchParams(location.hash.slice(1));
  return { view: p.get('view'), trial: p.has('trial') ? Number(p.get('trial')) : null };
}
const hashOf = (id, trial) => '#' + new URLSearchParams(trial === null || trial === undefined ? { view: id } : { view: id, trial });

function overview(report) {
  const cell = (label, text) => h('td', { 'data-label': label }, text);
  return h('details.overview', null, h('summary', null, `All ${report.views.length} results`),
    h('div.scroll', { tabindex: 0, role: 'region', 'aria-label': 'All results' }, h('table', null,
      h('thead', null, h('tr', null, ['kernel', 'problem', 'device', 'best', 'vs default', 'of the roof', 'verdict'].map((c) => h('th', { scope: 'col' }, c)))),
      h('tbody', null, report.views.map((v) => h('tr', null, h('th', { scope: 'row' }, h('a', { href: hashOf(v.id) }, v.kernel)), h('td.problem-cell', { title: v.problem }, shortProblem(v.problem) + aimOf(v)), h('td.device-cell', null, v.device.name),
        cell('best', v.best ? time(v.best.median_us) : '–'), cell('vs default', v.best && v.best.default_us > 0 ? speedup(v.best.default_us / v.best.median_us) : '–'),
        cell('of the roof', v.best ? percent(v.best.roofline_share) : '–'), h('td.verdict-cell', null, v.bound ? v.bound.sentence : '')))))));
}

function picker(report, onpick) {
  const select = h('select', { id: 'picker', onchange: () => onpick(select.value) },
    report.views.map((v) => h('option', { value: v.id }, `${v.kernel} · ${shortProblem(v.problem)} · ${v.device.name}${aimOf(v)}`)));
  return select;
}

function start(report) {
  if (report.format !== FORMAT) throw new Error(`data of format ${report.format}, this page reads ${FORMAT}`);
  for (const view of report.views) view.trials = unpackTrials(view.trials);
  startTheme();
  const main = h('main', { id: 'main', tabindex: -1 });
  const go = (id) => { location.hash = hashOf(id); };
  const select = picker(report, go);
  const theme = h('button.quiet', { type: 'button', onclick: toggleTheme });
  const say = () => { replace(theme, isDark() ? 'Light' : 'Dark'); theme.setAttribute('aria-label', `Show in ${isDark() ? 'light' : 'dark'} colours`); };
  onTheme(say);
  say();
  const several = report.views.length > 1;
  replace(document.getElementById('app'), h('div.page', null,
    h('nav.bar', { 'aria-label': 'Report' }, h('span.brand', null, 'warptune'), several ? h('label.picker', null, h('span.visually-hidden', null, 'Kernel and problem'), select) : h('span.title', null, report.title), theme),
    several ? overview(report) : null, main));
  let shown = null;
  const show = () => {
    const { view: id, trial } = address();
    if (shown && id === null) return main; // an anchor within the page
    const view = report.views.find((v) => v.id === id) || report.views[0];
    if (!view) return replace(main, h('p.empty', null, 'This database holds no result to show.'));
    if (shown && shown.model.view === view) return main;
    if (shown) shown.end();
    replace(main);
    select.value = view.id;
    document.title = `${view.kernel} ${shortProblem(view.problem)} – ${report.title}`;
    shown = showView(main, view, report, trial);
    const here = shown;
    here.state.on('pin', () => history.replaceState(null, '', hashOf(view.id, here.state.pinned === null ? null : view.trials.id[here.state.pinned])));
    return main;
  };
  onTheme(() => shown && shown.redraw());
  addEventListener('beforeprint', () => shown && shown.print());
  addEventListener('hashchange', show);
  show();
}

try {
  start(JSON.parse(document.getElementById('wt-data').textContent));
} catch (error) {
  // The static part says what it can.
  document.documentElement.classList.remove('js');
  replace(document.getElementById('app'), h('p.page.empty', { role: 'alert' }, `The interactive report could not start: ${error.message}`));
  console.error(error);
}
