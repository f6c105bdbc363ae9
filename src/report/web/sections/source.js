// Where the warps spent their time: source and machine code coloured by samples, and the hottest lines and
// instructions.
import { choice, h, replace, segments } from '../dom.js';
import { amount, bytes, count, percent, plural, words } from '../format.js';

const HOTTEST = 10;
const SHOWN_STALLS = 3;

const hex = (offset) => offset.toString(16).padStart(4, '0');
const place = (one) => (one.file && one.line ? `${one.file}:${one.line}` : 'line not known');

// "long_scoreboard 61 %, wait 14 %": the most frequent states, the first ones or all.
function stallText(stalls, most = SHOWN_STALLS) {
  return Object.entries(stalls || {}).sort((a, b) => b[1] - a[1]).slice(0, most).map(([reason, share]) => `${words(reason)} ${percent(share)}`).join(', ');
}

const WARP = 32;

// "10 M executions by warps, 31.0 of 32 threads each": the counts of an instruction.
function countText(c) {
  return c ? `${plural(c.executed, 'execution')} by warps${c.threads > 0 ? `, ${(c.threads / c.executed).toFixed(1)} of ${WARP} threads each` : ''}` : '';
}

// The winner first, then the default.
function inOrder(model) {
  const rank = (s) => (s.trial === model.bestTrial ? 0 : s.trial === model.defaultTrial ? 1 : 2);
  return [...model.view.sampled].sort((a, b) => rank(a) - rank(b));
}

function nameOf(model, sampled) {
  const mark = model.mark(sampled.trial);
  return `#${model.trials.id[sampled.trial]}${mark ? ` (${mark})` : ''} ${model.config(sampled.trial).join(' ')}`;
}

// Rows coloured by samples; `rows`: {key, label, samples, executed, wasted, text, title}. Rows that were executed can
// be selected.
function pane(label, rows, total, counted, onchoose) {
  const highest = rows.reduce((a, r) => Math.max(a, r.samples || 0), 0);
  const elements = new Map();
  const body = rows.map((r) => {
    const hot = r.samples > 0;
    const ran = hot || r.executed > 0;
    const row = h('tr' + (hot ? '.hot' : ran ? '.ran' : ''), { 'data-key': r.key, title: ran ? r.title : null, style: hot ? { '--heat': (r.samples / highest).toFixed(3) } : null, onclick: ran ? () => onchoose(r.key) : null },
      h('th', { scope: 'row' }, ran ? h('button.code-line', { type: 'button', 'aria-label': `${label} ${r.label}` }, r.label) : r.label),
      h('td.code-share', null, hot ? percent(r.samples / total, 1) : ''), counted ? h('td.code-executed', null, r.executed > 0 ? amount(r.executed) : '') : null,
      h('td.code-text', null, r.text, r.wasted ? h('span.wasted', null, ` ${r.wasted}`) : null));
    elements.set(r.key, row);
    return row;
  });
  const scroller = h('div.code', { tabindex: 0, role: 'region', 'aria-label': label }, h('table', null, h('tbody', null, body)));
  return {
    element: scroller,
    // Marks rows, and scrolls the first one to the middle of the pane without moving the page.
    mark(keys, scroll) {
      for (const [key, row] of elements) row.classList.toggle('chosen', keys.includes(key));
      const first = keys.length && elements.get(keys[0]);
      if (first && scroll) scroller.scrollTop = first.offsetTop - scroller.clientHeight / 2;
    },
  };
}

function hotTable(rows, total, head, onchoose) {
  return h('table.hot-spots', null, h('thead', null, h('tr', null, ['samples', head[0], 'stalls', head[1]].map((c) => h('th', { scope: 'col' }, c)))),
    h('tbody', null, rows.slice(0, HOTTEST).map((r) => h('tr', null,
      h('td.number', null, percent(r.samples / total, 1)), h('th', { scope: 'row' }, h('button.link', { type: 'button', onclick: () => onchoose(r) }, r.name)),
      h('td.stall-cell', null, stallText(r.stalls)), h('td.code-cell', null, r.text.trim())))));
}

// Memory accesses that move more data than necessary; the largest waste first.
function wasteTable(sampled, onchoose) {
  const all = sampled.functions.flatMap((f) => f.instructions.map((i) => ({ ...i, function: f.name })));
  return h('table.hot-spots', null, h('thead', null, h('tr', null, ['wasted', 'offset', 'access', 'instruction', 'line'].map((c) => h('th', { scope: 'col' }, c)))),
    h('tbody', null, sampled.wasted.slice(0, HOTTEST).map((w) => {
      const at = all.find((i) => i.function === w.function && i.offset === w.offset);
      return h('tr', null, h('td.number', null, bytes(w.bytes)), h('th', { scope: 'row' }, h('button.link', { type: 'button', onclick: () => onchoose(at) }, hex(w.offset))),
        h('td', null, w.access), h('td.code-cell', null, at.sass ?? '–'), h('td', null, place(at)));
    })));
}

function show(model, sampled, root) {
  const total = Math.max(1, sampled.samples);
  const lines = sampled.files.flatMap((f) => f.lines.map((l) => ({ ...l, file: f.name, text: f.text ? f.text[l.line - 1] ?? '' : '' }))).filter((l) => l.samples > 0).sort((a, b) => b.samples - a.samples);
  const instructions = sampled.functions.flatMap((f) => f.instructions.filter((i) => i.samples > 0).map((i) => ({ ...i, function: f.name }))).sort((a, b) => b.samples - a.samples);
  const wasteOf = (name, offset) => sampled.wasted.filter((w) => w.function === name && w.offset === offset).map((w) => w.access).join('; ');
  const hottestIn = (list) => [...list].sort((a, b) => b.heat - a.heat)[0];
  const heat = (list) => list.reduce((a, x) => a + (x.samples || 0), 0);
  let file = hottestIn(sampled.files.map((f) => ({ f, heat: heat(f.lines) })))?.f;
  let code = hottestIn(sampled.functions.map((f) => ({ f, heat: heat(f.instructions) })))?.f;
  let source = null;
  let sass = null;
  const sourceBox = h('div.pane');
  const sassBox = h('div.pane');
  const note = h('p.caption.pane-note', { role: 'status' });
  const say = (what, x) => replace(note, h('b', null, what), x.samples > 0 ? `: ${percent(x.samples / total, 1)} of the samples; ${stallText(x.stalls, Infinity)}. ` : ': no samples. ',
    x.not_issued > 0 ? `In ${percent(x.not_issued / total, 1)} of all samples, a warp was here while the scheduler issued nothing. ` : '',
    x.counts ? `${countText(x.counts)}${x.wasted ? `; ${x.wasted}` : ''}.` : '');

  function drawSource() {
    const withLines = new Map(file ? file.lines.map((l) => [l.line, l]) : []);
    const rows = !file ? [] : (file.text ? file.text.map((text, i) => [i + 1, text]) : [...withLines.keys()].map((l) => [l, ''])).map(([line, text]) => {
      const hot = withLines.get(line);
      return { key: line, label: String(line), samples: hot?.samples, executed: hot?.executed, text, title: hot && stallText(hot.stalls) };
    });
    source = pane('Source line', rows, total, sampled.counted, chooseLine);
    replace(sourceBox, h('div.pane-head', null, h('h3', null, 'Source'), sampled.files.length > 1
      ? choice('File', sampled.files.map((f, i) => [i, f.name]), sampled.files.indexOf(file), (i) => { file = sampled.files[Number(i)]; drawSource(); }) : h('span', null, file ? file.name : '')),
    rows.length ? source.element : h('p.empty', null, 'No sample has a source line. If a build command makes the cubin, add -lineinfo to that command.'));
  }
  function drawSass() {
    sass = pane('Instruction', code ? code.instructions.map((i) => ({ key: i.offset, label: hex(i.offset), samples: i.samples, executed: i.counts?.executed, wasted: wasteOf(code.name, i.offset), text: i.sass ?? '–', title: [i.samples > 0 ? stallText(i.stalls) : '', countText(i.counts), place(i)].filter(Boolean).join('; ') })) : [], total, sampled.counted, chooseInstruction);
    replace(sassBox, h('div.pane-head', null, h('h3', null, 'SASS'), sampled.functions.length > 1
      ? choice('Kernel', sampled.functions.map((f, i) => [i, f.name]), sampled.functions.indexOf(code), (i) => { code = sampled.functions[Number(i)]; drawSass(); }) : h('span', { title: code ? code.name : '' }, code ? code.name : '')),
    sass.element);
  }
  const instructionsOf = (line) => (code ? code.instructions.filter((i) => (i.samples > 0 || i.counts) && i.line === line && file && i.file === file.name) : []);

  function chooseLine(line) {
    const own = instructionsOf(line).sort((a, b) => b.samples - a.samples);
    source.mark([line], false);
    sass.mark(own.map((i) => i.offset), true);
    say(`${file.name}:${line}`, file.lines.find((l) => l.line === line));
  }
  function chooseInstruction(offset) {
    const at = code.instructions.find((i) => i.offset === offset);
    if (at.file && (!file || file.name !== at.file)) {
      file = sampled.files.find((f) => f.name === at.file) ?? file;
      drawSource();
    }
    sass.mark([offset], false);
    source.mark(at.line ? [at.line] : [], true);
    say(`${hex(offset)} ${at.sass ?? ''}`.trim(), { ...at, wasted: wasteOf(code.name, offset) });
  }
  function jumpToLine(l) {
    if (!l.line || !file) return;
    if (file.name !== l.file) { file = sampled.files.find((f) => f.name === l.file); drawSource(); }
    chooseLine(l.line);
    source.mark([l.line], true);
  }
  function jumpToInstruction(i) {
    if (code.name !== i.function) { code = sampled.functions.find((f) => f.name === i.function); drawSass(); }
    chooseInstruction(i.offset);
    sass.mark([i.offset], true);
  }

  const hottest = h('div.scroll', { tabindex: 0, role: 'region', 'aria-label': 'Hottest lines and instructions' });
  const showHottest = (what) => replace(hottest, what === 'wasted' ? wasteTable(sampled, jumpToInstruction) : what === 'lines'
    ? hotTable(lines.map((l) => ({ ...l, name: place(l) })), total, ['line', 'source'], jumpToLine)
    : hotTable(instructions.map((i) => ({ ...i, name: hex(i.offset), text: i.sass ?? '–' })), total, ['offset', 'instruction'], jumpToInstruction));
  drawSource();
  drawSass();
  const first = lines.length ? 'lines' : 'instructions';
  showHottest(first);
  replace(root,
    h('p.caption', null, `${plural(sampled.samples, 'sample')} by ${sampled.source} in ${plural(sampled.launches, 'run')}, one every ${count(sampled.period_cycles)} cycles on each multiprocessor. `,
      sampled.dropped > 0 ? `Lost samples: ${count(sampled.dropped)}. ` : '', lines.length && sampled.placed < 0.95 ? `${percent(1 - sampled.placed, 1)} of the samples have no source line. ` : '',
      sampled.no_sass ? `Instructions are shown without their text: ${sampled.no_sass} ` : '', sampled.no_counts ? `Counts of instructions are missing: ${sampled.no_counts}` : ''),
    h('div.controls', null, segments('Hottest', [...(lines.length ? [['lines', 'hottest lines']] : []), ['instructions', 'hottest instructions'], ...(sampled.wasted.length ? [['wasted', 'wasted accesses']] : [])], first, showHottest)),
    hottest, note, h('div.panes', null, sourceBox, sassBox),
    h('p.caption', null, 'A warp that waits for data is counted at the instruction that uses the data, which is often after the load. Shares are parts of the warps’ time, not of the run’s time.',
      sampled.counted ? ' The numbers beside the shares are executions by warps in one run. A sector is 32 bytes of global memory, a wavefront one pass through shared memory.' : ''));
}

export function sourceSection(model) {
  const all = inOrder(model);
  if (!all.length) return null;
  const root = h('div');
  show(model, all[0], root);
  return h('div', null, all.length > 1 ? h('div.controls', null, choice('Configuration', all.map((s, i) => [i, nameOf(model, s)]), 0, (i) => show(model, all[Number(i)], root)))
    : h('p.caption', null, nameOf(model, all[0])), root);
}
