// Synthetic data of a report: any number of trials, reproducible, with hostile names on request.

// Text that runs, breaks out of its place, or misleads if a page takes it for markup.
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

const CODE = ['#include "row.cuh"', '', '// Sums of rows; every warp reduces one row.', 'template <class T, int VEC> __global__ void row_sum(const T* x, T* y, long long rows, long long cols) {',
  '  float sum = 0;', '  for (long long i = threadIdx.x * VEC; i < cols; i += blockDim.x * VEC) {', '    const auto v = load<VEC>(x + blockIdx.x * cols + i); // a comment that makes this line longer than a pane on any screen is wide, so that it scrolls',
  '    for (int k = 0; k < VEC; ++k) sum += static_cast<float>(v[k]);', '  }', '  sum = warp_sum(sum);', '  if (threadIdx.x == 0) y[blockIdx.x] = sum;', '}'];
const HEADER = ['#pragma once', '__device__ float warp_sum(float v) {', '  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);', '  return v;', '}'];

// Invented samples of a kernel with two files: of 1000 samples, 200 are in the header and 100 have no line.
function makeSampled(trial, hostile, withText = true) {
  const at = (offset, sass, file, line, samples, stalls) => ({ offset, sass: withText ? sass + hostile : null, ...(samples ? { samples, not_issued: Math.round(samples / 2), stalls, ...(line ? { file: file + hostile, line } : {}) } : {}) });
  const instructions = [];
  for (let i = 0; i < 120; ++i) instructions.push(at(16 * i, `IADD3 R${i}, R${i}, 0x1, RZ`));
  instructions[40] = at(640, 'LDG.E.128.CONSTANT R4, desc[UR4][R2.64]', 'kernel.cu', 7, 150, { lg_throttle: 0.6, selected: 0.4 });
  instructions[80] = at(1280, 'FADD.FTZ R9, R9, R4', 'kernel.cu', 8, 450, { long_scoreboard: 0.8, selected: 0.15, wait: 0.05 });
  instructions[81] = at(1296, 'FADD.FTZ R9, R9, R5', 'kernel.cu', 8, 100, { wait: 1 });
  instructions[100] = at(1600, 'SHFL.BFLY PT, R8, R9, 0x10, 0x1f', 'row.cuh', 3, 200, { short_scoreboard: 0.9, selected: 0.1 });
  instructions[119] = at(1904, 'EXIT', '', 0, 100, { drain: 1 });
  // Only the configuration with the text was counted: two million executions per line; one load has counts but no
  // samples.
  const count = (i, more = {}) => { instructions[i] = { samples: 0, not_issued: 0, stalls: {}, file: 'kernel.cu' + hostile, line: 7, ...instructions[i], counts: { executed: 2e6, threads: 64e6, sectors: 0, ideal_sectors: 0, wavefronts: 0, ideal_wavefronts: 0, ...more } }; };
  if (withText) { count(40, { sectors: 64e6, ideal_sectors: 8e6 }); count(41, { wavefronts: 64e6, ideal_wavefronts: 2e6, threads: 31e6 }); count(80); }
  const waste = (offset, bytes, access) => ({ function: 'row_sum<float, 4>' + hostile, offset, bytes, access: access + hostile });
  const line = (n, samples, stalls) => ({ line: n, samples, not_issued: Math.round(samples / 2), stalls, executed: withText ? 4e6 : 0 });
  return {
    trial, source: 'CUPTI 13.0' + hostile, samples: 1000, launches: 12, period_cycles: 4096, dropped: 0, placed: 0.9, no_sass: withText ? null : 'nvdisasm was not found' + hostile,
    counted: withText, no_counts: withText ? null : 'CUPTI 12.6 has no SASS metrics' + hostile,
    wasted: withText ? [waste(656, 7.936e9, '32.0 instead of 1.0 wavefronts each time (bank conflicts)'), waste(640, 1.792e9, '32.0 instead of 4.0 sectors each time (uncoalesced)')] : [],
    functions: [{ name: 'row_sum<float, 4>' + hostile, instructions: withText ? instructions : instructions.filter((i) => i.samples) }],
    files: [{ name: 'kernel.cu' + hostile, text: CODE.map((l) => l + hostile), lines: [line(7, 150, { lg_throttle: 0.6, selected: 0.4 }), line(8, 550, { ['long_scoreboard' + hostile]: 0.65, wait: 0.23, selected: 0.12 })] },
      { name: 'row.cuh' + hostile, text: HEADER, lines: [line(3, 200, { short_scoreboard: 0.9, selected: 0.1 })] }],
  };
}

function makeWhy(a_us, b_us, hostile) {
  const side = (time_us, limit) => ({ limit, unknown: null, busiest: limit, share: 0.93, counted: true, stall: 'long_scoreboard', stall_share: 0.6, next_limit: 'issue', next_limit_us: time_us / 2, time_us });
  const diff = b_us - a_us;
  return {
    a: side(a_us, 'DRAM'), b: side(b_us, 'issue'), ratio: { value: b_us / a_us, low: (0.99 * b_us) / a_us, high: (1.01 * b_us) / a_us, distinguished: true, measured: 'interleaved in 15 rounds of the finals of session 1' + hostile },
    resources: [{ resource: 'issue', unit: 'instructions', a: 7.1e7, b: 1.8e8, a_busy_us: a_us / 2, b_busy_us: a_us / 2 + 0.9 * diff, counted: true, explains: 0.9 },
      { resource: 'DRAM', unit: 'B', a: 5.4e8, b: 5.4e8, a_busy_us: a_us * 0.93, b_busy_us: a_us * 0.93, counted: true, explains: 0 }, { resource: 'fp32', unit: 'op', a: 3.1e9, b: 3.1e9, a_busy_us: 48, b_busy_us: 48, counted: false, explains: 0 }],
    stalls: [{ reason: 'math_pipe_throttle' + hostile, a_us: 20, b_us: 20 + diff, explains: 1 }, { reason: 'drain', a_us: 3, b_us: 3, explains: 0.001 }],
    lines: [{ file: 'kernel.cu' + hostile, line: 8, text: CODE[7] + hostile, a_us: 40, b_us: 40 + 0.8 * diff, a_stall: 'long_scoreboard', b_stall: 'wait', explains: 0.8 }, { file: null, line: null, text: null, a_us: 4, b_us: 4, a_stall: null, b_stall: 'drain', explains: 0 }],
    cause: 'issue', verdict: `The default takes 1.64x the time of the winner. The default executes 2.60x the instructions, which accounts for all of the difference. ${hostile}`,
  };
}

// options: n, seed, sampled (the winner and the default), name (of the kernel), flops (a roofline) or not (bandwidth), measured (counters and power), failing (share of the trials), winner (its rank in the search)
export function makeView({ n, seed = 1, name = 'softmax', problem = 'rows=16384, cols=8192; bf16', flops = true, measured = true, failing = 0.12, winner = 0, sampled = false, device = 'NVIDIA H200', hostile = '' }) {
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
    id: `${name}/${problem}/${device}/${seed}${hostile}`, kernel: name + hostile, problem: problem + hostile, summary: `Numerically stable softmax over the last dimension ${hostile}`,
    device: { name: device + hostile, arch: 'sm_90', driver: '580.95', compiler: 'NVRTC 13.0', backend: 'replay', recorded: true },
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
    why: best === null || best === 0 || !sampled ? null : makeWhy(us, t.median_us[0], hostile),
    sampled: sampled && best !== null ? [makeSampled(0, hostile, false), makeSampled(best, hostile)] : [],
    notes: [`Synthetic data: nothing here was measured ${hostile}`.trim()],
  };
}

export function makeReport(views, hostile = '') {
  return { format: 1, title: 'Synthetic report' + hostile, generated_at: '2026-11-21T12:00:00Z', warptune: '0.1.0', database: 'synthetic.db' + hostile, left_out: 0, views };
}
