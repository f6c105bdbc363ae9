// One view of the report's data, with the queries of several sections. Columns stay columns: no object per trial.

const LEVELS = ['DRAM', 'L2', 'L1'];

function best(trials, ok) {
  const soFar = [];
  let least = Infinity;
  for (let i = 0; i < trials.n; ++i) {
    if (ok(i) && trials.median_us[i] < least) soFar.push([i, least = trials.median_us[i]]);
  }
  return soFar;
}

// Numbers by size, labels alphabetically.
const inOrder = (a, b) => (typeof a === 'string' ? a.localeCompare(b) : a - b);

export function makeModel(view) {
  const t = view.trials;
  const okStatus = view.statuses.indexOf('ok');
  const timed = (i) => t.status[i] === okStatus && t.median_us[i] > 0;
  const indices = [...Array(t.n).keys()];
  const timedIndices = indices.filter(timed);
  const bestTrial = view.best ? view.best.trial : null;
  const occurring = view.params.map((p, k) => [...new Set(t.config[k])].filter((v) => v !== null).sort(inOrder));
  const levels = LEVELS.filter((name) => t.levels[name]);
  const fastestTrial = view.fastest === bestTrial ? null : view.fastest ?? null; // the fastest in the search, if it did not win
  const ties = new Set((view.best && view.best.tie_set) || []);
  const mark = (i) => [[i === bestTrial, 'best'], [i === fastestTrial, 'fastest'], [i === view.default, 'default'],
    [ties.has(i) && i !== bestTrial, 'tie']].filter(([is]) => is).map(([, name]) => name).join(', ');
  return {
    view, trials: t, n: t.n, indices, timedIndices, timed, levels, occurring, bestTrial, fastestTrial,
    defaultTrial: view.default ?? null,
    hasFlops: t.tflops.some((v) => v > 0) && levels.some((name) => t.levels[name].intensity.some((v) => v > 0)),
    hasEnergy: t.energy_mj.some((v) => v > 0),
    varying: view.params.map((_, k) => k).filter((k) => occurring[k].length > 1),
    bestSoFar: best(t, timed),
    mark,
    status: (i) => view.statuses[t.status[i]] || 'unknown',
    evidence: (i) => (t.evidence[i] === null ? '' : view.evidences[t.evidence[i]]),
    config: (i) => view.params.map((p, k) => [p.name, t.config[k][i]]).filter(([, v]) => v !== null).map(([name, v]) => `${name}=${v}`),
    // What a param means in the implementation of a trial.
    meaning: (p, i) => {
      const k = p.meanings ? view.params.findIndex((q) => q.name === 'implementation') : -1;
      return k < 0 ? p.meaning : p.meanings[t.config[k][i]] ?? '';
    },
    source: (level, i) => {
      const s = t.levels[level] && t.levels[level].source[i];
      return s === 1 ? 'measured' : s === 2 ? 'measured, writes by the model' : s === 0 ? 'model' : null;
    },
    counted: (level, i) => Boolean(t.levels[level] && t.levels[level].source[i] > 0),
    roofsOf: (level) => view.roofs.filter((r) => r.level === level),
    // The rate that a point can reach at a level: its relevant roof, measured if known.
    roofGbs: (level) => {
      const found = view.roofs.filter((r) => r.level === level);
      const roof = found.find((r) => r.relevant) || found[0];
      return roof ? roof.measured ?? roof.theoretical : null;
    },
  };
}
