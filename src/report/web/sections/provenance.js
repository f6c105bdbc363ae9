// The origin of every figure: the session, the machine, the roofs with their clocks, what is measured and what is not.
import { h } from '../dom.js';
import { count, roofRate } from '../format.js';
import { costText } from './details.js';

const facts = (pairs) => h('dl.facts', null, pairs.filter(([, v]) => v !== null && v !== undefined && v !== '').map(([k, v]) => [h('dt', null, k), h('dd', null, v)]));

function roofTable(roofs) {
  return h('div.scroll', { tabindex: 0, role: 'region', 'aria-label': 'Roofs' }, h('table', null, h('thead', null, h('tr', null, ['roof', 'level', 'measured', 'theoretical', 'SM clock', 'this kernel'].map((c) => h('th', { scope: 'col' }, c)))),
    h('tbody', null, roofs.map((r) => h('tr', null, h('th', { scope: 'row' }, r.label), h('td', null, r.level),
      h('td', null, r.measured > 0 ? roofRate(r.measured, r.unit) : '–'), h('td', null, r.theoretical > 0 ? roofRate(r.theoretical, r.unit) : '–'),
      h('td', null, r.sm_clock_mhz > 0 ? count(r.sm_clock_mhz) + '\u00a0MHz' : '–'), h('td', null, r.relevant ? 'yes' : ''))))));
}

export function provenanceSection(model, report) {
  const { view } = model;
  const { session: s, device: d } = view;
  const counted = (l) => model.indices.filter((i) => model.counted(l, i)).length;
  const all = model.timedIndices.length;
  const sources = model.levels.map((l) => {
    const n = counted(l);
    return `${l} bytes: ${n === 0 ? 'by the model' : n >= all ? 'counted by the hardware' : `counted for ${count(n)} of ${count(all)} timed trials; for the others, from the model or unknown`}.`;
  });
  return h('div', null,
    h('div.columns', null,
      h('div', null, h('h3', null, 'Session'), facts([
        ['session', `${s.id}, ${s.state}`], ['strategy', s.strategy], ['budget', s.budget], ['seed', s.seed], ['objective', s.objective],
        ['L2', s.cold_l2 ? 'cold: flushed before every sample' : 'warm'], ['space', s.space_size > 0 ? `${count(s.space_size)} configurations` : null],
        ['started', s.started_at], ['ended', s.ended_at], ['made by', `warptune ${s.version}`], ['source', s.source_hash]])),
      h('div', null, h('h3', null, 'Machine'), facts([
        ['device', d.name], ['architecture', d.arch], ['driver', d.driver], ['compiler', d.compiler], ['backend', d.recorded ? 'recorded device: measured before, not in this session' : d.backend],
        ['database', report.database], ['report', `warptune ${report.warptune}, ${report.generated_at}`]]))),
    h('h3', null, 'Measured or modelled'),
    h('ul.plain', null,
      h('li', null, 'Times are measured in separate runs without counters. Each is the median of the samples, with its 95 % interval.'),
      sources.map((text) => h('li', null, text)),
      view.cost ? h('li', null, `The model: ${costText(view.cost)}.`) : h('li', null, 'The specification states no cost, so there is no model.'),
      view.baselines.map((b) => h('li', null, `${b.name}: ${b.source}`))),
    view.roofs.length ? [h('h3', null, 'Roofs'), roofTable(view.roofs)] : null);
}
