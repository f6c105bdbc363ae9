// Reads the report's data, shows the view that the address names, and lets the reader change it.
import { h, replace } from './dom.js';
import { aimOf, countOfResults, shortProblem } from './format.js';
import { showKernel } from './kernel.js';
import { indexSection } from './sections/index.js';
import { isDark, onTheme, startTheme, toggleTheme } from './theme.js';
import { unpackTrials } from './unpack.js';
import { showView } from './view.js';

const FORMAT = 1;

// #view=<id>&trial=<number>, or #kernel=<name>
function address() {
  const p = new URLSearchParams(location.hash.slice(1));
  return { kernel: p.get('kernel'), view: p.get('view'), trial: p.has('trial') ? Number(p.get('trial')) : null };
}
const hashOfKernel = (kernel) => '#' + new URLSearchParams({ kernel });
const hashOf = (id, trial) => '#' + new URLSearchParams(trial === null || trial === undefined ? { view: id } : { view: id, trial });

// The device of a view, and its database if the report has several.
function sourceNames(report) {
  const several = new Set(report.views.map((v) => v.database ?? '')).size > 1;
  return (view) => (several ? `${view.device.name} (${view.database})` : view.device.name);
}

function overview(report, source, open) {
  return h('details.overview', { open }, h('summary', null, `${countOfResults(report.views.length, report.left_out)}, largest possible gain first`), indexSection(report, hashOf, hashOfKernel, source));
}

function picker(report, source, onpick) {
  const select = h('select', { id: 'picker', onchange: () => onpick(select.value) },
    report.views.map((v) => h('option', { value: v.id }, `${v.kernel} · ${shortProblem(v.problem)} · ${source(v)}${aimOf(v)}`)), h('option', { value: '', hidden: true }, 'all results of a kernel'));
  return select;
}

function start(report) {
  if (report.format !== FORMAT) throw new Error(`the data has format ${report.format}, but this page reads format ${FORMAT}`);
  for (const view of report.views) view.trials = unpackTrials(view.trials);
  startTheme();
  const main = h('main', { id: 'main', tabindex: -1 });
  const go = (id) => { location.hash = hashOf(id); };
  const source = sourceNames(report);
  const select = picker(report, source, go);
  const theme = h('button.quiet', { type: 'button', onclick: toggleTheme });
  const say = () => { replace(theme, isDark() ? 'Light' : 'Dark'); theme.setAttribute('aria-label', `Show in ${isDark() ? 'light' : 'dark'} colours`); };
  onTheme(say);
  say();
  const several = report.views.length > 1;
  // In a narrow window, the list would fill the first screen.
  const list = several ? overview(report, source, !location.hash && matchMedia('(min-width: 801px)').matches) : null;
  replace(document.getElementById('app'), h('div.page', null,
    h('nav.bar', { 'aria-label': 'Report' }, h('span.brand', null, 'warptune'), several ? h('label.picker', null, h('span.visually-hidden', null, 'Kernel and problem'), select) : h('span.title', null, report.title), theme),
    list, main));
  let shown = null;
  const show = () => {
    const { kernel, view: id, trial } = address();
    const views = kernel === null ? [] : report.views.filter((v) => v.kernel === kernel);
    if (views.length) {
      if (shown) shown.end();
      replace(main);
      select.value = '';
      document.title = `${kernel} – ${report.title}`;
      shown = showKernel(main, kernel, views, source, (v) => hashOf(v.id));
      return main;
    }
    if (shown && id === null) return main; // an anchor within the page
    const view = report.views.find((v) => v.id === id) || report.views[0];
    if (!view) return replace(main, h('p.empty', null, 'This database contains no results.'));
    if (shown && shown.model && shown.model.view === view) return main;
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
  addEventListener('hashchange', () => {
    if (list) list.open = false; // shows the chosen result, not the list
    show();
  });
  show();
}

try {
  start(JSON.parse(document.getElementById('wt-data').textContent));
} catch (error) {
  // Shows the static part instead.
  document.documentElement.classList.remove('js');
  replace(document.getElementById('app'), h('p.page.empty', { role: 'alert' }, `The interactive report could not start: ${error.message}`));
  console.error(error);
}
