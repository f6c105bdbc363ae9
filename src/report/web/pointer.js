// Mouse and keys on a chart of trials: hovering, pinning, moving from point to point. The rings around the selected
// points are elements above the canvas, so that moving them does not redraw the chart.
import { h } from './dom.js';

const ZOOM_STEP = 0.7;

function zoom(chart, factor) {
  (chart.getOption().dataZoom || []).forEach((z, dataZoomIndex) => {
    const middle = (z.start + z.end) / 2;
    const half = factor ? Math.min(((z.end - z.start) / 2) * factor, 50) : 50;
    chart.dispatchAction({ type: 'dataZoom', dataZoomIndex, start: Math.max(middle - half, 0), end: Math.min(middle + half, 100) });
  });
}

export function usePointer(chart, element, state, { at, order }) {
  const rings = { hovered: h('div.ring.hovered', { hidden: true }), pinned: h('div.ring.pinned', { hidden: true }) };
  element.append(rings.pinned, rings.hovered);
  const place = () => {
    for (const [name, ring] of Object.entries(rings)) {
      const i = state[name];
      const point = i === null ? null : at(i);
      const pixel = point && chart.convertToPixel({ gridIndex: 0 }, point);
      const inside = pixel && pixel.every(Number.isFinite) && chart.containPixel({ gridIndex: 0 }, pixel);
      ring.hidden = !inside;
      if (inside) ring.style.transform = `translate(${pixel[0]}px, ${pixel[1]}px)`;
    }
  };
  const trialOf = (event) => (event.componentType === 'series' && Array.isArray(event.value) ? event.value[2] ?? null : null);
  chart.on('mouseover', (event) => trialOf(event) !== null && state.hover(trialOf(event)));
  chart.on('mouseout', () => state.hover(null));
  chart.on('click', (event) => trialOf(event) !== null && state.pin(trialOf(event)));
  chart.on('datazoom', place);
  state.on('hover', place);
  state.on('pin', place);

  const step = (to) => {
    const trials = order();
    if (!trials.length) return;
    const now = trials.indexOf(state.shown());
    const next = to === 'first' ? 0 : to === 'last' ? trials.length - 1 : now < 0 ? 0
      : Math.min(Math.max(now + to, 0), trials.length - 1);
    state.hover(trials[next]);
  };
  const keys = {
    ArrowRight: () => step(1), ArrowUp: () => step(1), ArrowLeft: () => step(-1), ArrowDown: () => step(-1),
    PageDown: () => step(25), PageUp: () => step(-25), Home: () => step('first'), End: () => step('last'),
    Enter: () => state.shown() !== null && state.pin(state.shown()),
    Escape: () => { state.hover(null); state.pin(null); },
    '+': () => zoom(chart, ZOOM_STEP), '-': () => zoom(chart, 1 / ZOOM_STEP), 0: () => zoom(chart, 0),
  };
  element.tabIndex = 0;
  element.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  element.addEventListener('blur', () => state.hover(null));
  place();
  return { place };
}
