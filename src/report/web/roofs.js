// The roofs as lines of a chart: slanted bandwidths and flat rates of a roofline, or flat bandwidths over time.
// Measured ones are solid, theoretical ones dashed; the name of each is along its line.
import { roofRate } from './format.js';
import { crosses } from './labels.js';

// [{from: [x, y], to: [x, y], label, dashed, strong, side}]; side: where the label sits.
export function rooflineLines(roofs, { x, level, narrow }) {
  const lines = [];
  const flat = roofs.filter((r) => r.level === 'compute' && r.relevant);
  const top = (kind) => Math.max(0, ...flat.map((r) => r[kind] ?? r.measured ?? r.theoretical ?? 0));
  for (const roof of roofs) {
    for (const kind of ['measured', 'theoretical']) {
      const value = roof[kind];
      if (!(value > 0)) continue;
      const dashed = kind === 'theoretical';
      const label = dashed && roof.measured > 0 ? '' : `${narrow && roof.relevant && roof.level !== 'compute' ? roof.level : roof.label} ${roofRate(value, roof.unit)}${dashed && !narrow ? ' (theory)' : ''}`;
      const strong = roof.relevant && (roof.level === 'compute' || roof.level === level || level === 'all');
      if (roof.level === 'compute') lines.push({ from: [x[0], value], to: [x[1], value], label, dashed, strong, flat: true });
      else {
        const ridge = top(kind) > 0 ? Math.min((top(kind) * 1000) / value, x[1]) : x[1];
        lines.push({ from: [x[0], (x[0] * value) / 1000], to: [ridge, (ridge * value) / 1000], label, dashed, strong });
      }
    }
  }
  return lines;
}

export function bandwidthLines(roofs, { x, level }) {
  return roofs.filter((r) => r.level === level).flatMap((roof) => ['measured', 'theoretical'].filter((k) => roof[k] > 0).map((kind) => ({
    from: [x[0], roof[kind]], to: [x[1], roof[kind]], dashed: kind === 'theoretical', strong: roof.relevant, flat: true,
    label: `${roof.label} ${roofRate(roof[kind], roof.unit)}${kind === 'theoretical' ? ' (theory)' : ''}`,
  })));
}

// Labels do not overlap: each one tries several places along its line until one is free.
function free(taken, box) {
  return taken.every((b) => Math.abs(b.x - box.x) * 2 > b.w + box.w || Math.abs(b.y - box.y) * 2 > b.h + box.h);
}

// `names`: the names of marked points, which the labels of roofs avoid: {at: [x, y], position, align, width}. The label of
// a flat roof also avoids the slanted roofs, at first those of the shown level.
export function roofSeries(lines, theme, fontSize, names = []) {
  let taken = [], slanted = [];
  const boxOf = (api, { at, position, align, width }) => {
    const [x, y] = api.coord(at);
    const aside = { left: -1, right: 1 }[position] ?? { left: 1, right: -1 }[align] ?? 0, below = { top: -1, bottom: 1 }[position] ?? 0;
    return { x: x + aside * (width / 2 + 8), y: y + below * 14, w: width + 4, h: 18 };
  };
  return {
    type: 'custom', id: 'roofs', silent: true, clip: true, z: 1, tooltip: { show: false },
    dimensions: ['x', 'y', 'x2', 'y2'], encode: { x: [0, 2], y: [1, 3] },
    data: lines.map((l) => [...l.from, ...l.to]),
    renderItem(params, api) {
      if (params.dataIndexInside === 0) {
        taken = names.map((name) => boxOf(api, name));
        slanted = lines.filter((l) => !l.flat).map((l) => ({ ends: [api.coord(l.from), api.coord(l.to)], weight: l.strong ? 10 : 1 }));
      }
      const line = lines[params.dataIndexInside];
      const area = params.coordSys;
      let a = api.coord([api.value(0), api.value(1)]);
      let b = api.coord([api.value(2), api.value(3)]);
      const slope = (b[1] - a[1]) / (b[0] - a[0] || 1);
      const bottom = area.y + area.height;
      if (a[1] > bottom && slope < 0) a = [a[0] + (bottom - a[1]) / slope, bottom];
      const right = area.x + area.width;
      if (b[0] > right) b = [right, a[1] + slope * (right - a[0])];
      if (b[1] < area.y && slope < 0) b = [a[0] + (area.y - a[1]) / slope, area.y];
      const colour = line.strong ? theme.roof : theme.faint;
      const children = [{
        type: 'line', shape: { x1: a[0], y1: a[1], x2: b[0], y2: b[1] },
        style: { stroke: colour, lineWidth: line.strong ? 1.6 : 1, lineDash: line.dashed ? [5, 4] : null },
      }];
      const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
      const width = line.label.length * fontSize * 0.55;
      if (line.label && length > width * 0.6) {
        const angle = Math.atan2(b[1] - a[1], b[0] - a[0]);
        const size = { w: Math.abs(Math.cos(angle)) * width + 6, h: Math.abs(Math.sin(angle)) * width + fontSize + 2 };
        const steps = line.flat ? [0.98, 0.6, 0.3, 0] : [0.78, 0.2, 0.5, 0.65, 0.35];
        const beyond = (middle) => !line.flat && (middle - size.w / 2 < a[0] - 4 || middle + size.w / 2 > b[0] + 4); // the ends of its line
        const places = steps.map((share) => {
          const middle = line.flat ? Math.min(b[0] - width / 2 - 4, Math.max(a[0] + width / 2 + 4, a[0] + (b[0] - a[0]) * share)) : a[0] + (b[0] - a[0]) * share;
          const y = a[1] + (b[1] - a[1]) * ((middle - a[0]) / (b[0] - a[0] || 1));
          const off = fontSize * (line.dashed ? -0.75 : 0.75); // away from the other kind
          return { x: middle - Math.sin(angle) * off, y: y + Math.cos(angle) * off, middle, ...size };
        }).filter((at) => !(at.middle - size.w / 2 < area.x || at.middle + size.w / 2 > right + 4 || beyond(at.middle) || at.y - size.h / 2 < area.y - 14) && free(taken, at));
        const crossed = (at) => (line.flat ? slanted.filter((l) => crosses([at.x - at.w / 2, at.y - at.h / 2, at.x + at.w / 2, at.y + at.h / 2], l.ends)).reduce((sum, l) => sum + l.weight, 0) : 0);
        if (places.length) {
          const at = places.reduce((best, one) => (crossed(one) < crossed(best) ? one : best));
          taken.push(at);
          children.push({
            type: 'text', x: at.x, y: at.y, rotation: -angle,
            style: { text: line.label, fill: line.strong ? theme.ink : theme.soft, fontSize, fontFamily: theme.font, align: 'center', verticalAlign: 'middle', stroke: theme.paper, lineWidth: 3 },
          });
        }
      }
      return { type: 'group', children };
    },
  };
}
