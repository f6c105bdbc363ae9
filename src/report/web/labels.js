// Places the name of a marked point in a chart.

const NEAR = 0.12; // share of a chart's width or height that a name takes, approximately

// In pixels, approximately.
export const textWidth = (text, fontSize) => text.length * fontSize * 0.58;

// Left of the point, unless another mark is at that place or the chart ends there. `width`: the share of the chart that
// the name takes.
export function sidewaysSide(at, marks, width = 0) {
  const beside = (sign) => marks.some(([x, y]) => sign * (x - at[0]) >= 0 && Math.abs(x - at[0]) < 2 * NEAR && Math.abs(y - at[1]) < NEAR / 2);
  return width > at[0] || (beside(-1) && !beside(1)) ? 'right' : 'left';
}

// Where a name is free: above its point, below it or beside it, centred or beginning or ending there. `size`: [width,
// height] of the name with its distance to the point; `boxes`: [left, bottom, right, top] of other marks and names;
// `lines`: [[x, y], [x, y]]. All values are shares of the chart from its lower left corner. If no place is free: the
// place with the least faults. A name outside the chart is worse than one on a mark, and this is worse than one on a line.
export function freePlace(at, [width, height], boxes, lines) {
  const places = [];
  for (const position of ['top', 'bottom'])
    for (const align of ['center', 'left', 'right']) {
      const left = at[0] - width * { center: 0.5, left: 0, right: 1 }[align];
      const gap = 0.4 * height; // the distance to the point
      places.push({ position, align, box: position === 'top' ? [left, at[1] + gap, left + width, at[1] + height] : [left, at[1] - height, left + width, at[1] - gap] });
    }
  for (const position of ['right', 'left'])
    places.push({ position, align: position === 'right' ? 'left' : 'right', box: [at[0] - (position === 'left' ? width : 0), at[1] - height / 3, at[0] + (position === 'right' ? width : 0), at[1] + height / 3] });
  const faults = ([left, bottom, right, top]) => (left < 0 || bottom < 0 || right > 1 || top > 1 ? 100 : 0)
    + boxes.filter((b) => b[0] < right && b[2] > left && b[1] < top && b[3] > bottom).length * 10
    + lines.filter((l) => crosses([left, bottom, right, top], l)).length;
  return places.map((place) => ({ ...place, faults: faults(place.box) })).reduce((best, one) => (one.faults < best.faults ? one : best));
}

// Whether a line passes through a box.
export function crosses([left, bottom, right, top], [a, b]) {
  const [from, to] = a[0] <= b[0] ? [a, b] : [b, a];
  const low = Math.max(left, from[0]), high = Math.min(right, to[0]);
  if (low >= high) return false;
  const y = (x) => from[1] + ((to[1] - from[1]) * (x - from[0])) / (to[0] - from[0]);
  return Math.min(y(low), y(high)) < top && Math.max(y(low), y(high)) > bottom;
}

// Below the point. If the name would cover another mark there, beside the point, on the side away from that mark. All
// places are [x, y], shares of the chart from its lower left corner.
export function labelSide(at, marks) {
  const under = marks.filter(([x, y]) => Math.abs(x - at[0]) < NEAR && y <= at[1] && at[1] - y < NEAR);
  if (!under.length) return 'bottom';
  return under.some(([x]) => x > at[0]) ? 'left' : 'right';
}
