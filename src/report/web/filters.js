// The filter above the table: words, a status, values of parameters. The charts follow it.
import { choice, h, replace } from './dom.js';
import { count, plural, words } from './format.js';

const ALL = '';

export function filterBar(model, state) {
  const text = h('input', { type: 'search', placeholder: 'e.g. BLOCK=256 wrong', 'aria-label': 'Filter by words', oninput: () => state.setFilter({ text: text.value }) });
  const present = [...new Set(model.trials.status)].sort((a, b) => a - b);
  const counts = new Map(present.map((s) => [s, model.trials.status.filter((v) => v === s).length]));
  const status = choice('Status', [[ALL, 'all'], ...present.map((s) => [model.view.statuses[s], `${words(model.view.statuses[s])} (${count(counts.get(s))})`])], ALL,
    (v) => state.setFilter({ status: v }));
  const params = model.varying.map((k) => choice(model.view.params[k].name, [[ALL, 'all'], ...model.occurring[k].map((v) => [v, v])], ALL,
    (v) => state.setParam(k, v === ALL ? null : Number(v))));
  const clear = h('button.quiet', {
    type: 'button', hidden: true, onclick: () => {
      text.value = '';
      bar.querySelectorAll('select').forEach((s) => { s.value = ALL; });
      state.clearFilter();
      text.focus();
    },
  }, 'Clear');
  const shown = h('p.shown', { role: 'status' });
  const say = () => {
    clear.hidden = state.passing.length === model.n;
    replace(shown, state.passing.length === model.n ? plural(model.n, 'trial') : `${count(state.passing.length)} of ${plural(model.n, 'trial')}`);
  };
  state.on('filter', say);
  say();
  const bar = h('div.filters', { role: 'search', 'aria-label': 'Filter the trials' },
    h('label.choice', null, h('span', null, 'Filter'), text), status,
    params.length ? h('details.more', null, h('summary', null, 'by parameter'), h('div.filters-params', null, params)) : null, clear, shown);
  return bar;
}
