// The roofline (or, without operations to count, bandwidth over time): every timed candidate under the roofs.
import { axis, base, logAxis, makeChart } from '../charts.js';
import { choice, h, replace, segments, tick } from '../dom.js';
import { colourChoices, encode, legend, sizeOf } from '../encode.js';
import { number, percent, plural, rate, tflops, time } from '../format.js';
import { freePlace, labelSide, sidewaysSide, textWidth } from '../labels.js';
import { bandwidthLines, roofSeries, rooflineLines } from '../roofs.js';
import { categorical } from '../theme.js';

const HEIGHT = 440; // of the chart with its axes, in pixels
const MANY = 2000; // with more points than this, they are smaller and more transparent

function limits(values, below, above) {
  const known = values.filter((v) => v > 0);
  if (!known.length) return [0.1, 10];
  return [known.reduce((a, b) => Math.min(a, b)) / below, known.reduce((a, b) => Math.max(a, b)) * above];
}

// A mark's name in the form that roofSeries takes.
function nameOf({ data: [d], label }) {
  const at = d.value ?? d;
  return { at: at.slice(0, 2), position: label.position, align: label.align, width: textWidth(label.formatter(), label.fontSize) };
}

export function tooltip(model, i, level) {
  const t = model.trials;
  const from = level && model.source(level, i);
  return h('div', null, h('strong', null, `#${t.id[i]} ${model.mark(i)}`), h('div', null, time(t.median_us[i])),
    level ? h('div', null, `${level} ${rate(t.levels[level].gbs[i])}${from ? ` (${from})` : ''}`) : null,
    t.tflops[i] > 0 ? h('div', null, tflops(t.tflops[i])) : null, h('div.tip-config', null, model.config(i).join('  ')));
}

export function rooflineSection(model, state, scope) {
  const t = model.trials;
  const flops = model.hasFlops;
  let level = model.levels.includes('DRAM') ? 'DRAM' : model.levels[0];
  let by = model.varying.length ? String(model.varying[0]) : 'status';
  let everyRoof = false;
  if (!level) return null;

  const drawn = () => (level === 'all' ? model.levels : [level]);
  const at = (i, l = drawn()[0]) => {
    if (!model.timed(i)) return null;
    const p = flops ? [t.levels[l].intensity[i], t.tflops[i]] : [t.median_us[i], t.levels[l].gbs[i]];
    return p[0] > 0 && p[1] > 0 ? p : null;
  };
  const roofs = () => model.view.roofs.filter((r) => everyRoof || r.relevant || (r.level !== 'compute' && !model.roofsOf(r.level).some((o) => o.relevant) && r === model.roofsOf(r.level)[0]));

  // `place`: a point's shares of the chart; `room`: its width and height in pixels; `lines`: those of the roofs.
  function markSeries(theme, narrow, place, room, lines) {
    const mark = (id, i, name, { position, align }, symbol, size, style) => {
      const p = i === null || i === undefined ? null : at(i);
      return p && {
        type: 'scatter', id, z: 6, data: [{ value: [...p, i], name }], symbol, symbolSize: size, itemStyle: style,
        label: { show: true, formatter: () => name, position, align, distance: 7, color: theme.ink, fontWeight: id === 'best' ? 600 : 400, fontSize: narrow ? 11 : 12, textBorderColor: theme.paper, textBorderWidth: 3 },
        labelLayout: { hideOverlap: false, moveOverlap: 'shiftY' },
      };
    };
    const reference = model.bestTrial === null ? null : at(model.bestTrial);
    const vendors = reference && drawn()[0] === 'DRAM' ? model.view.baselines.filter((b) => b.median_us > 0) : [];
    const triangles = vendors.map((b) => [flops ? reference[0] : b.median_us, (reference[1] * t.median_us[model.bestTrial]) / b.median_us]);
    const standard = model.defaultTrial === null || model.defaultTrial === undefined ? null : at(model.defaultTrial);
    const marked = [standard, reference].filter(Boolean).map(place);
    const defaultSide = standard ? labelSide(place(standard), triangles.map(place)) : 'bottom';
    const fontSize = narrow ? 11 : 12;
    const sizeOfName = (name) => [(textWidth(name, fontSize) + 10) / room[0], (fontSize + 16) / room[1]];
    const boxOf = ([x, y]) => [x - 9 / room[0], y - 9 / room[1], x + 9 / room[0], y + 9 / room[1]];
    const fastestPlace = () => {
      const point = at(model.fastestTrial);
      if (!point) return { position: 'top' };
      const boxes = [...marked, ...triangles.map(place)].map(boxOf);
      const nameBeside = (p, name, side) => { // the box of another name
        const [left, bottom, right, top] = boxOf(place(p)), [width, height] = sizeOfName(name), middle = place(p)[0];
        if (side === 'bottom') boxes.push([middle - width / 2, bottom - height / 2, middle + width / 2, bottom]);
        else boxes.push(side === 'right' ? [right, bottom, right + width, top] : [left - width, bottom, left, top]);
      };
      if (reference) nameBeside(reference, 'best', 'right');
      if (standard) nameBeside(standard, 'default', defaultSide);
      return freePlace(place(point), sizeOfName('fastest in the search'), boxes, lines.map((l) => [place(l.from), place(l.to)]));
    };
    return [
      ...vendors.map((b, k) => ({
        type: 'scatter', id: 'baseline' + k, z: 5, symbol: 'triangle', symbolSize: 12, silent: true, data: [triangles[k]],
        itemStyle: { color: theme.paper, borderColor: theme.ink, borderWidth: 1.6, opacity: 1 },
        label: { show: true, formatter: () => b.name, position: sidewaysSide(place(triangles[k]), marked, textWidth(b.name, 11) / room[0]), distance: 6, color: theme.ink, fontSize: 11, textBorderColor: theme.paper, textBorderWidth: 3 },
        labelLayout: { moveOverlap: 'shiftY' },
      })),
      model.defaultTrial === model.bestTrial ? null : mark('default', model.defaultTrial, 'default', { position: defaultSide }, 'rect', 10, { color: theme.paper, borderColor: theme.ink, borderWidth: 2, opacity: 1 }),
      mark('fastest', model.fastestTrial, 'fastest in the search', fastestPlace(), 'circle', 13, { color: 'transparent', borderColor: theme.accent, borderWidth: 2, opacity: 1 }),
      mark('best', model.bestTrial, 'best', { position: model.fastestTrial === null ? 'top' : 'right' }, 'diamond', 16, { color: theme.accent, borderColor: theme.paper, borderWidth: 1.5, opacity: 1 }),
    ].filter(Boolean);
  }

  function pointSeries(theme) {
    const colours = level === 'all'
      ? { groups: model.levels.map((l, k) => ({ label: l, colour: categorical(k) })), of: null } : encode(model, by, theme);
    const data = colours.groups.map(() => []);
    const outside = [];
    for (const l of drawn()) {
      for (const i of model.timedIndices) {
        const p = at(i, l);
        if (!p) continue;
        if (!state.passes(i)) outside.push([...p, i]);
        else (data[colours.of ? colours.of(i) : model.levels.indexOf(l)] || outside).push([...p, i]);
      }
    }
    chart.element.dataset.points = outside.length + data.reduce((a, d) => a + d.length, 0);
    const used = new Set(data.map((d, g) => (d.length ? g : -1)));
    replace(key, legend(colours.groups, used));
    const scale = model.n > MANY ? 0.7 : 1;
    const series = (id, colour, points, opacity) => ({
      type: 'scatter', id, z: 3, data: points, progressive: 2000, symbolSize: (v) => sizeOf(model, v[2], scale),
      itemStyle: { color: colour, opacity }, emphasis: { disabled: true },
    });
    return [series('outside', theme.faint, outside, 0.35),
      ...colours.groups.map((g, k) => series('group' + k, g.colour, data[k], model.n > MANY ? 0.55 : 0.75))].filter((s) => s.data.length);
  }

  function render(theme, width) {
    const narrow = width < 520;
    const shown = roofs();
    const points = drawn().flatMap((l) => model.timedIndices.map((i) => at(i, l))).filter(Boolean);
    const marked = points.map((p) => p[1]);
    const values = shown.map((r) => Math.max(r.measured ?? 0, r.theoretical ?? 0));
    const fmt = (v) => number(v, 2);
    let x, y, lines, axes;
    if (flops) {
      const flat = shown.filter((r) => r.level === 'compute').map((r) => Math.max(r.measured ?? 0, r.theoretical ?? 0)).filter((v) => v > 0);
      const highest = Math.max(1e-9, ...flat, ...marked.slice(0, 1));
      const ridges = shown.filter((r) => r.level !== 'compute' && drawn().includes(r.level)).map((r) => (highest * 1000) / (r.measured ?? r.theoretical ?? highest));
      x = limits([...points.map((p) => p[0]), ...(flat.length ? ridges : [])], 4, 4);
      y = limits([...marked, ...flat], 2.5, 1.8);
      lines = rooflineLines(shown, { x, level, narrow });
      axes = {
        xAxis: logAxis(theme, 'arithmetic intensity, FLOP per byte', x, fmt),
        yAxis: logAxis(theme, 'TFLOP/s', y, fmt, { nameGap: 38 }),
      };
    } else {
      x = limits([...points.map((p) => p[0]), ...(level === 'DRAM' ? model.view.baselines.map((b) => b.median_us) : [])], 1.15, 1.15);
      y = [0, Math.max(...marked.slice(0, 1), ...values.filter((_, k) => drawn().includes(shown[k].level)), points.reduce((a, p) => Math.max(a, p[1]), 0)) * 1.1];
      lines = bandwidthLines(shown, { x, level: drawn()[0] });
      axes = {
        xAxis: logAxis(theme, 'median time', x, (v) => time(v, 3)),
        yAxis: axis(theme, `${drawn()[0]} GB/s`, { type: 'value', min: 0, max: y[1], nameGap: 46, axisLabel: { formatter: (v) => number(v, 4), color: theme.soft, fontSize: 11, showMaxLabel: false } }),
      };
    }
    const logShare = (v, [low, high]) => Math.log(v / low) / Math.log(high / low);
    const place = (p) => [logShare(p[0], x), flops ? logShare(p[1], y) : p[1] / y[1]];
    const marks = markSeries(theme, narrow, place, [width - 80, HEIGHT - 60], lines);
    const option = base(theme, describe());
    option.tooltip.formatter = (p) => (Array.isArray(p.value) && p.value[2] !== undefined && p.seriesType === 'scatter' ? tooltip(model, p.value[2], drawn()[0]) : '');
    return {
      ...option, ...axes, grid: { left: narrow ? 52 : 62, right: 14, top: 16, bottom: 44 },
      dataZoom: [0, 1].map((n) => ({ type: 'inside', [n ? 'yAxisIndex' : 'xAxisIndex']: 0, filterMode: 'none', zoomOnMouseWheel: 'ctrl', moveOnMouseMove: 'ctrl', preventDefaultMouseMove: false })),
      series: [roofSeries(lines, theme, narrow ? 10 : 11, marks.map(nameOf)), ...pointSeries(theme), ...marks],
    };
  }

  function describe() {
    const best = model.bestTrial;
    const roof = model.roofGbs(drawn()[0]);
    const reached = best === null ? null : t.levels[drawn()[0]].gbs[best];
    return `${flops ? 'Roofline' : 'Bandwidth over time'} of ${plural(model.timedIndices.length, 'timed trial')}, by ${level === 'all' ? 'the bytes of all memory levels' : `${level} bytes`}.`
      + (best === null ? '' : ` The best took ${time(t.median_us[best])} in the search`
      + (reached > 0 && roof > 0 && (drawn()[0] !== 'DRAM' || !model.view.best || model.view.best.bound === 'DRAM') ? `, at ${percent(reached / roof)} of the ${drawn()[0]} roof.` : '.'));
  }

  const key = h('div');
  const summary = h('p.caption');
  const chart = makeChart(scope, {
    label: flops ? 'Roofline. Arrow keys select the candidates by time, Enter pins, plus and minus zoom, 0 resets.'
      : 'Bandwidth. Arrow keys select the candidates by time, Enter pins, plus and minus zoom, 0 resets.',
    height: HEIGHT, render,
    points: { at: (i) => at(i), order: () => byTime.filter((i) => state.passes(i)) },
  });
  const byTime = [...model.timedIndices].sort((a, b) => t.median_us[a] - t.median_us[b]);
  const redraw = () => { chart.draw(); replace(summary, caption()); };
  const caption = () => {
    const counted = model.timedIndices.filter((i) => drawn().some((l) => model.counted(l, i))).length;
    return [describe(), ' ', counted === 0 ? 'Bytes come from the model: the minimum that the kernel must move, not what it moved.'
      : counted === model.timedIndices.length ? 'Hardware counters measured the bytes.'
        : `Hardware counters measured the bytes of ${plural(counted, 'candidate')}; those of the others come from the model.`,
    ' Larger points have a higher occupancy; solid roofs are measured, dashed ones theoretical.',
    model.view.baselines.length && level === 'DRAM' ? ' Triangles are baselines, drawn with the winner’s bytes.' : ''];
  };
  replace(summary, caption());
  state.on('filter', () => chart.draw());
  return h('div', null,
    h('div.controls', null,
      segments('Memory level', [...model.levels.map((l) => [l, l === 'L1' ? 'L1 / shared' : l]), ...(flops && model.levels.length > 1 ? [['all', 'all']] : [])], level, (v) => { level = v; redraw(); }),
      choice('Colour by', colourChoices(model), by, (v) => { by = v; redraw(); }),
      tick('every roof', false, (v) => { everyRoof = v; redraw(); })),
    chart.element, key, summary);
}
