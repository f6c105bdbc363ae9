// The summary: what was tuned, how fast the winner is, what limits it and how certain that is.
import { breakable, h } from '../dom.js';
import { aimOf, energy, percent, shortProblem, speedup, time, words } from '../format.js';

function figure(value, label, note) {
  return h('div.figure', null, h('dt', null, label), h('dd', null, h('b', null, value), note ? h('small', null, note) : null));
}

function certainty(best, recorded) {
  if (best.certified) return ['certified', 'ok', recorded ? 'The finalists were compared again with recorded samples, which were not interleaved, in enough rounds for a decision.' : 'The finalists were measured again, interleaved, in enough rounds for a decision.'];
  return [`not certified${best.outcome ? ': ' + words(best.outcome) : ''}`, 'warn', 'The comparison of the finalists is not reliable, for example because there were too few rounds, or because the times are from other sources of the kernel.'];
}

// A time measured at a changing clock is shown with the range of the clock.
function clockText(best) {
  if (!(best.sm_clock_max_mhz > best.sm_clock_min_mhz)) return '';
  return `, SM clock ${best.sm_clock_min_mhz} to ${best.sm_clock_max_mhz} MHz${best.at_power_cap ? ' (power cap)' : ''}`;
}

export function headSection(model) {
  const { view } = model;
  const best = view.best;
  const source = view.bound && view.bound.source;
  const chips = [];
  if (source) {
    chips.push(h('li.chip' + (source === 'measured' ? '.ok' : '.warn'), { title: source === 'measured' ? 'Bytes and operations were counted by the hardware.' : 'Bytes and operations are computed from the specification; nothing was counted.' },
      source === 'measured' ? 'counters: measured' : 'counters: none, model'));
  }
  if (best) {
    const [text, kind, why] = certainty(best, view.device.recorded);
    chips.push(h('li.chip.' + kind, { title: why }, text));
    if (best.checks) chips.push(h('li.chip', { title: 'How the outputs of the winner were checked' }, `checks: ${best.checks}`));
  }
  for (const e of (view.bound && view.bound.evidence) || []) chips.push(h('li.chip', null, h('b', null, e.label), ' ', e.value));
  const baseline = view.baselines.filter((b) => b.median_us > 0).sort((a, b) => a.median_us - b.median_us)[0];
  return h('header.head', null,
    h('p.eyebrow', null, h('span', null, view.device.name), view.device.arch ? h('span', null, view.device.arch) : null,
      view.device.recorded ? h('span', null, 'recorded') : null, h('span', null, view.session.cold_l2 ? 'cold L2' : 'warm L2')),
    h('h1', { id: 'view-title' }, view.kernel, ' ', h('span.problem', { title: view.problem }, breakable(shortProblem(view.problem) + aimOf(view)))),
    view.summary ? h('p.summary', null, view.summary) : null,
    h('p.verdict', null, view.bound ? view.bound.sentence : best ? 'The limit of the winner is not known.' : model.timedIndices.length > 0 ? 'The session has not reached its finals: there is no winner yet.'
      : 'No candidate passed: there is no winner.'),
    h('ul.chips', { 'aria-label': 'Facts' }, chips),
    best ? h('dl.figures', null,
      figure(time(best.median_us), 'winner, median', `95 % interval ${time(best.ci_low_us)} to ${time(best.ci_high_us)}${clockText(best)}`),
      model.fastestTrial !== null ? figure(time(model.trials.median_us[model.fastestTrial]), 'fastest in the search', `trial ${model.trials.id[model.fastestTrial]}, not the winner`) : null,
      best.default_us > 0 ? figure(speedup(best.default_us / best.median_us), 'vs default', `default ${time(best.default_us)}`) : null,
      best.roofline_share > 0 ? figure(percent(best.roofline_share), 'of the roof', best.bound ? `the ${words(best.bound)} roof` : null) : null,
      baseline ? figure(speedup(baseline.median_us / best.median_us), `vs ${baseline.name}`, `${time(baseline.median_us)}`) : null,
      best.energy_mj > 0 ? figure(energy(best.energy_mj), 'energy', 'of one launch sequence') : null) : null,
    view.notes.length ? h('ul.notes', { 'aria-label': 'Notes' }, view.notes.map((n) => h('li', null, breakable(n)))) : null);
}
