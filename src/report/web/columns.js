// The columns of the table of trials: the text, the sort key and the width of each.
import { bytes, count, energy, number, percent, plain, rate, tflops, time, words } from './format.js';

export function columnsOf(model, withCounters) {
  const t = model.trials;
  const level = model.levels[0];
  const any = (column) => column && column.some((v) => v !== null && v !== 0);
  const numeric = (title, column, show, width, why) => ({ title, why, value: (i) => column[i], text: (i) => show(column[i]), width, number: true });
  const columns = [
    { title: '#', value: (i) => t.id[i], text: (i) => String(t.id[i]), width: 56, number: true },
    numeric('median', t.median_us, (v) => time(v), 92),
    { title: '± %', why: 'half of the 95 % interval, as a percentage of the median', width: 62, number: true,
      value: (i) => (t.ci_high_us[i] > 0 && t.median_us[i] > 0 ? ((t.ci_high_us[i] - t.ci_low_us[i]) / 2 / t.median_us[i]) * 100 : null),
      text(i) { return number(this.value(i), 2); } },
    { title: 'mark', value: (i) => model.mark(i) || null, text: model.mark, width: 74 + (model.fastestTrial === null ? 0 : 40) },
    ...model.view.params.map((p, k) => ({ title: p.name, why: p.meaning, value: (i) => t.config[k][i], text: (i) => plain(t.config[k][i]), width: Math.max(64, Math.min(p.name.length * 9 + 30, 180)), number: !t.config[k].some((v) => typeof v === 'string') })),
    { title: 'status', value: (i) => model.status(i), text: (i) => words(model.status(i)), width: 118 },
    level && numeric(level, t.levels[level].gbs, rate, 94, `${level} bandwidth`),
    any(t.tflops) && numeric('rate', t.tflops, tflops, 118),
    numeric('regs', t.registers, count, 62, 'registers per thread'),
    any(t.spill_bytes) && numeric('spills', t.spill_bytes, bytes, 72),
    numeric('shared', t.shared_bytes, bytes, 80, 'shared memory per block, static and dynamic'),
    numeric('occ.', t.occupancy, (v) => percent(v), 66, 'occupancy'),
    any(t.energy_mj) && numeric('energy', t.energy_mj, energy, 84),
    ...(withCounters ? model.view.metrics.map((m, k) => numeric(m.name, t.counters[k], (v) => number(v, 4), Math.min(m.name.length * 7 + 26, 340), m.meaning)) : []),
    { title: 'diagnostic', value: (i) => model.evidence(i) || null, text: (i) => model.evidence(i).split('\n')[0], width: 320 },
  ];
  return columns.filter(Boolean);
}

// Unknown values come last in both directions.
export function sorted(trials, column, descending) {
  const keys = trials.map((i) => [column.value(i), i]);
  const sign = descending ? -1 : 1;
  keys.sort(([a, i], [b, j]) => {
    const none = (a === null || a === undefined) - (b === null || b === undefined);
    if (none || a === null || a === undefined) return none || i - j;
    return (a < b ? -sign : a > b ? sign : 0) || i - j;
  });
  return keys.map(([, i]) => i);
}
