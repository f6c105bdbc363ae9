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

// Below the point. If the name would cover another mark there, beside the point, on the side away from that mark. All
// places are [x, y], shares of the chart from its lower left corner.
export function labelSide(at, marks) {
  const under = marks.filter(([x, y]) => Math.abs(x - at[0]) < NEAR && y <= at[1] && at[1] - y < NEAR);
  if (!under.length) return 'bottom';
  return under.some(([x]) => x > at[0]) ? 'left' : 'right';
}
