// The columns of the trials as the program packs them (packed_column.h), back to arrays of one value a trial.

function column(packed, n) {
  if ('all' in packed) return Array(n).fill(packed.all);
  if ('values' in packed) return packed.at.map((place) => packed.values[place]);
  const { decimals, from, by } = packed;
  const power = Number('1e' + Math.abs(decimals)); // exact; 10 ** n need not be
  return by.map((step) => (step === 0 ? null : decimals < 0 ? (from + step) * power : (from + step) / power));
}

function unpack(part, n) {
  if (part === null || typeof part !== 'object') return part;
  if (Array.isArray(part)) return part.some((v) => v !== null && typeof v === 'object') ? part.map((v) => unpack(v, n)) : part;
  if (['all', 'values', 'by'].some((key) => key in part)) return column(part, n);
  return Object.fromEntries(Object.entries(part).map(([key, v]) => [key, unpack(v, n)]));
}

export const unpackTrials = (trials) => unpack(trials, trials.n);
