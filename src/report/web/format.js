// Formats numbers for readers; null becomes an en dash.

const NONE = '–';
const known = (v) => v !== null && v !== undefined && Number.isFinite(v);

// Three significant digits without exponents; thousands in groups.
export function number(v, digits = 3) {
  if (!known(v)) return NONE;
  if (v === 0) return '0';
  const magnitude = Math.floor(Math.log10(Math.abs(v)));
  const decimals = Math.min(Math.max(digits - 1 - magnitude, 0), 9);
  const [whole, fraction] = Math.abs(v).toFixed(decimals).split('.');
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, '\u202f') : whole;
  return (v < 0 ? '−' : '') + grouped + (fraction ? '.' + fraction : '');
}

function scaled(v, steps, digits) {
  if (!known(v)) return NONE;
  const [factor, unit] = steps.find(([f]) => Math.abs(v) >= f) || steps[steps.length - 1];
  return number(v / factor, digits) + '\u00a0' + unit;
}

// Values of parameters: as they are written in the specification.
export const plain = (v) => (typeof v === 'string' ? v : known(v) ? (Number.isInteger(v) ? String(v) : number(v, 6)) : NONE);
// Micro is written "u", as in the sentences of the report and in the terminal.
export const time = (us, digits = 4) => scaled(us, [[1e6, 's'], [1e3, 'ms'], [1, 'us'], [1e-3, 'ns']], digits);
export const rate = (gbs) => scaled(gbs, [[1e3, 'TB/s'], [1, 'GB/s'], [1e-3, 'MB/s']], 3);
export const tflops = (v) => scaled(v, [[1e3, 'PFLOP/s'], [1, 'TFLOP/s'], [1e-3, 'GFLOP/s'], [1e-6, 'MFLOP/s']], 3);
export const roofRate = (v, unit) => (unit === 'GB/s' ? rate(v) : `${number(v)}\u00a0${unit}`);
export const bytes = (v) => (v === 0 ? '0\u00a0B' : scaled(v, [[1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB'], [1, 'B']], 3));
export const flops = (v) => scaled(v, [[1e12, 'TFLOP'], [1e9, 'GFLOP'], [1e6, 'MFLOP'], [1, 'FLOP']], 3);
export const energy = (mj) => scaled(mj, [[1e3, 'J'], [1, 'mJ'], [1e-3, 'uJ']], 3);
export const percent = (share, digits = 0) => (known(share) ? (share * 100).toFixed(digits) + '\u00a0%' : NONE);
export const count = (v) => (known(v) ? String(Math.round(v)).replace(/\B(?=(\d{3})+$)/g, '\u202f') : NONE);
export const amount = (v) => (v >= 1e3 ? scaled(v, [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']], 3) : number(v));
export const speedup = (ratio) => number(ratio, 3) + '×';
// `leftOut`: older results beyond --limit.
export const countOfResults = (shown, leftOut) => (leftOut ? `${shown} of ${shown + leftOut} results (the newest; --limit 0 shows all)` : `All ${shown} results`);
export const plural = (n, one, many = one + 's') => `${count(n)} ${n === 1 ? one : many}`;
// The objective of a session, if it is not time.
export const aimOf = (view) => (view.session.objective && view.session.objective !== 'time' ? ` · least ${view.session.objective}` : '');
export const words = (name) => String(name).replace(/_/g, ' ');

// A problem's key with its long lists of sizes cut: "rows=[128,64,0, … 4000 sizes],cols=64;fp32".
export function shortProblem(problem) {
  return problem.replace(/\[[^\]]*\]/g, (list) => {
    const sizes = list.slice(1, -1).split(',');
    return sizes.length <= 8 ? list : `[${sizes.slice(0, 3).join(',')}, … ${sizes.length} sizes]`;
  });
}
