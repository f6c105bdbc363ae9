// Synthetic data of a report: any number of trials, repeatable, with hostile names on request.

// What would run, break out or confuse if it were taken for markup.
export const HOSTILE = '</script><script>window.pwned=1</script><img src=x onerror="window.pwned=1">{{js}}\u2028\u202e"\'&';

function random(seed) {
  let s = seed >>> 0;
  return () => {
    s = (s + 0x6d2b79f5) >>> 0;
    let t = Math.imul(s ^ (s >>> 15), s | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const ROOFS = [
  ['dram_mix', 'DRAM at 1:1', 'DRAM', 'GB/s', 4234, 4800, true], ['dram_read_gbs', 'DRAM read', 'DRAM', 'GB/s', 4391, 4800, false],
  ['l2_gbs', 'L2', 'L2', 'GB/s', 8920, null, false], ['shared_gbs', 'L1/shared', 'L1', 'GB/s', 31200, 33454, false],
  ['fp32_tflops', 'fp32', 'compute', 'TFLOP/s', 63.1, 66.9, true], ['tensor_tflops', 'bf16 tensor', 'compute', 'TFLOP/s', 812, 989, false],
];
const STATUSES = ['ok', 'invalid', 'compile_failed', 'launch_failed', 'timed_out', 'crashed', 'wrong_result', 'unstable'];

// options: n, seed, name (of the kernel), flops (a roofline) or not (bandwidth), measured (counters and power), failing (share), winner (its rank in the search)
export function makeView({ n, seed = 1, name = 'softmax', problem = 'rows=16384, cols=8192; bf16', flops = true, measured = true, failing = 0.12, winner = 0, hostile = '' }) {
  const next = random(seed);
  const params = [['TILE', [16, 32, 64, 128, 256]], ['VEC', [1, 2, 4, 8]], ['UNROLL', [1, 2, 4]], ['STAGES', [1, 2, 3, 4]], ['FAST_EXP', [0, 1]], ['WARP', [32]]]
    .map(([p, values]) => ({ name: p + hostile, meaning: `${p.toLowerCase()} of a thread block ${hostile}`, values, default: values[0] }));
  const column = () => Array(n).fill(null);
  const keys = ['id', 'status', 'evidence', 'complete', 'median_us', 'ci_low_us', 'ci_high_us', 'min_us', 'rel_iqr', 'samples', 'registers', 'spill_bytes', 'shared_bytes',
    'occupancy', 'compile_ms', 'sm_clock_mhz', 'temperature_c', 'power_w', 'energy_mj', 'average_w', 'throttled', 'tflops'];
  const t = { n, ...Object.fromEntries(keys.map((k) => [k, column()])) };
  t.config = params.map(column);
  const metrics = measured ? ['dram__bytes_read.sum', 'smsp__inst_executed.sum', 'sm__inst_executed_pipe_alu.sum', 'sm__inst_executed_pipe_fma.sum', 'sm__inst_executed_pipe_lsu.sum']
    .map((m) => ({ name: m + hostile, meaning: hostile })) : [];
  if (measured && !hostile) metrics[0].meaning = 'bytes read from device memory';
  t.counters = metrics.map(column);
  const levels = measured ? ['DRAM', 'L2', 'L1'] : ['DRAM'];
  t.levels = Object.fromEntries(levels.map((l) => [l, { source: column(), bytes: column(), intensity: column(), gbs: column() }]));
  const base = 5.4e8, operations = flops ? 3.1e9 : 0;
  const evidences = [`kernel.cu(31): error: too many ${hostile}\nsecond line`, `output differs at element 77: 1.5 is not 2.25 ${hostile}`];
  for (let i = 0; i < n; ++i) {
    t.id[i] = i + 1;
    const c = params.map((p, k) => (t.config[k][i] = i === 0 ? p.default : p.values[Math.floor(next() * p.values.length)]));
    t.registers[i] = 24 + Math.floor(next() * 120);
    t.spill_bytes[i] = t.registers[i] > 130 ? 64 : 0;
    t.shared_bytes[i] = c[0] * 64;
    t.occupancy[i] = Math.min(1, Math.round((48 / t.registers[i]) * 16) / 16);
    t.compile_ms[i] = 300 + 200 * next();
    if (i > 0 && next() < failing) {
      t.status[i] = 1 + Math.floor(next() * 7);
      if (t.status[i] === 7) t.status[i] = 6;
      t.evidence[i] = t.status[i] === 2 ? 0 : 1;
      continue;
    }
    t.status[i] = 0;
    const slow = 1 + 1.4 * Math.abs(Math.log2(c[0] / 128)) ** 1.3 * 0.25 + 0.9 / c[1] + 0.2 * Math.abs(c[2] - 2) + 0.1 * (4 - c[3]) + 0.25 * next() ** 2;
    const us = t.median_us[i] = 132 * slow;
    t.ci_low_us[i] = us * 0.997; t.ci_high_us[i] = us * 1.004; t.min_us[i] = us * 0.99; t.rel_iqr[i] = 0.004 + 0.01 * next();
    t.samples[i] = 20 + Math.floor(next() * 60); t.complete[i] = true;
    t.sm_clock_mhz[i] = 1980; t.temperature_c[i] = 41; t.power_w[i] = 520;
    levels.forEach((l, k) => {
      const level = t.levels[l];
      level.source[i] = measured ? 1 : 0;
      level.bytes[i] = base * (measured ? 1 + 0.5 * k * (1 + next()) + 0.06 * next() : 1);
      level.gbs[i] = level.bytes[i] / us / 1000;
      level.intensity[i] = operations ? operations / level.bytes[i] : null;
    });
    if (operations) t.tflops[i] = operations / us / 1e6;
    metrics.forEach((_, k) => { t.counters[k][i] = Math.round(base * (0.5 / (k + 1)) * (1 + 0.02 * next())); });
  }
  const order = [...Array(n).keys()].filter((i) => t.median_us[i] > 0).sort((a, b) => t.median_us[a] - t.median_us[b]);
  const pareto = [];
  if (measured) {
    order.slice(0, 24).forEach((i, k) => { t.average_w[i] = 640 - 9 * k + 30 * next(); t.energy_mj[i] = (t.average_w[i] * t.median_us[i]) / 1000; t.throttled[i] = k % 7 === 0; });
    let least = Infinity;
    for (const i of order.slice(0, 24)) if (t.energy_mj[i] < least) { least = t.energy_mj[i]; pareto.push(i); }
  }
  const best = order[winner] ?? null;
  const us = best === null ? null : t.median_us[best];
  return {
    id: `${name}/${problem}/NVIDIA H200/${seed}${hostile}`, kernel: name + hostile, problem: problem + hostile, summary: `Numerically stable softmax over the last dimension ${hostile}`,
    device: { name: 'NVIDIA H200' + hostile, arch: 'sm_90', driver: '580.95', compiler: 'NVRTC 13.0', backend: 'replay', recorded: true },
    session: { id: seed, state: 'finished', strategy: 'random', budget: '200 trials', seed: 7, cold_l2: true, objective: 'time', started_at: '2026-11-20T10:00:00Z', ended_at: '2026-11-20T10:04:00Z', version: '0.1.0', source_hash: 'b1946ac9', space_size: 4 * n },
    cost: { bytes_read: base / 2, bytes_written: base / 2, flops: flops ? { fp32: operations } : {} },
    roofs: ROOFS.filter((r) => flops || r[2] !== 'compute').map(([id, label, level, unit, m, theoretical, relevant]) => ({ id, label: label + hostile, level, unit, measured: m, theoretical, sm_clock_mhz: 1980, relevant })),
    params, statuses: STATUSES, evidences, metrics, trials: t,
    best: best === null ? null : { trial: best, config: '', median_us: us, ci_low_us: us * 0.997, ci_high_us: us * 1.004, default_us: t.median_us[0], roofline_share: 0.93, bound: 'dram', certified: true, p_value: 0.001,
      outcome: 'winner', checks: 'random, zeros, extremes', tie_set: order.slice(0, Math.max(3, winner + 1)), energy_mj: measured ? t.energy_mj[best] : null },
    default: 0, fastest: order[0] ?? null, pareto, baselines: [{ name: 'cuDNN 9.14' + hostile, median_us: us ? us * 1.12 : 200, ci_low_us: null, ci_high_us: null, cold_l2: true, source: 'CUDA events, cold L2, median of 50' + hostile }],
    bound: best === null ? null : { sentence: `DRAM-bound: 93 % of the measured roof at its mix of reads and writes; L2 hit 34 % ${hostile}`, limit: 'DRAM', share: 0.93, source: measured ? 'measured' : 'model',
      evidence: [{ label: 'DRAM', value: '93 % of 4234 GB/s' + hostile }, { label: 'L2', value: '46 % of 8920 GB/s' }, { label: 'fp32', value: '35 % of 63.1 TFLOP/s' }] },
    stalls: measured ? [['long_scoreboard' + hostile, 0.61], ['wait', 0.14], ['math_pipe_throttle', 0.11], ['not_selected', 0.08], ['barrier', 0.06]].map(([reason, share]) => ({ reason, share })) : [],
    notes: [`Synthetic data: nothing here was measured ${hostile}`.trim()],
  };
}

export function makeReport(views, hostile = '') {
  return { format: 1, title: 'Synthetic report' + hostile, generated_at: '2026-11-21T12:00:00Z', warptune: '0.1.0', database: 'synthetic.db' + hostile, views };
}
