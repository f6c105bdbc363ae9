// One view as a page: its sections, the most important ones first.
import { h } from './dom.js';
import { makeModel } from './model.js';
import { makeState } from './state.js';
import { detailsSection } from './sections/details.js';
import { headSection } from './sections/head.js';
import { paramsSection } from './sections/params.js';
import { paretoSection } from './sections/pareto.js';
import { provenanceSection } from './sections/provenance.js';
import { rooflineSection } from './sections/roofline.js';
import { sourceSection } from './sections/source.js';
import { tableSection } from './sections/table.js';
import { timelineSection } from './sections/timeline.js';
import { whySection } from './sections/why.js';
import { winnerSection } from './sections/winner.js';

const section = (id, title, body) => body && h('section', { id, 'aria-labelledby': id + '-title' }, h('h2', { id: id + '-title' }, title), body);

// Shows `view` in `root`; returns the functions to call when the theme changes, before printing, and at the end.
export function showView(root, view, report, pinned) {
  const model = makeModel(view);
  const state = makeState(model);
  const scope = { redraw: [], print: [], end: [], state };
  const roofline = rooflineSection(model, state, scope);
  const timed = model.timedIndices.length > 0;
  root.append(
    headSection(model),
    h('div.with-details', null,
      h('div', null,
        roofline && timed ? section('roofline', model.hasFlops ? 'Roofline' : 'Bandwidth', roofline)
          : section('roofline', 'Roofline', h('p.empty', null, timed ? 'There is no cost model and no counter was read, so the number of bytes is not known.' : 'Nothing was timed.'))),
      detailsSection(model, state)),
    ...[
      section('why', 'Winner against default', whySection(model)),
      section('search', 'The search over time', timelineSection(model, state, scope)),
      section('parameters', 'Effect of each parameter', paramsSection(model, state, scope)),
      section('winner', 'Inside the winner', winnerSection(model)),
      section('source', 'Where the time goes', sourceSection(model)),
      section('energy', 'Time and energy', paretoSection(model, state, scope)),
      section('trials', 'All trials', tableSection(model, state, scope)),
      section('provenance', 'Provenance', provenanceSection(model, report)),
    ].filter(Boolean));
  if (pinned !== null) state.pin(model.trials.id.indexOf(pinned) < 0 ? null : model.trials.id.indexOf(pinned));
  const all = (list) => () => list.forEach((f) => f());
  return { model, state, redraw: all(scope.redraw), print: all(scope.print), end: all(scope.end) };
}
