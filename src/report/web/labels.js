// Where the name of a marked point goes in a chart.

const NEAR = 0.12; // of a chart's width or height: about what a name takes

// In pixels, about.
export const textWidth = (text, fontSize) => text.length * fontSize * 0.58;

// Left of the point, unless another mark is where the name would be, or the chart ends there. `width`: the name's share.
export function sidewaysSide(at, marks, width = 0) {
  const beside = (sign) => marks.some(([x, y]) => sign * (x - at[0]) >= 0 && Math.abs(x - at[0]) < 2 * NEAR && Math.abs(y - at[1]) < NEAR / 2);
  return width > at[0] || (beside(-1) && !beside(1)) ? 'right' : 'left';
}

// Below the point, or beside it where another mark would lie under the name: on the side where that mark is not. All
// places as [x, y], shares of the chart from its lower left corner.
export function labelSide(at, marks) {
  const under = marks.filter(([x, y]) => Math.abs(x - at[0]) < NEAR && y <= at[1] && at[1] - y < NEAR);
  if (!under.length) return 'bottom';
  return under.some(([x]) => x > at[0]) ? 'left' : 'right';
}
