// The look of a point: its colour by status or by a parameter, its size by occupancy; and the legend.
import { h } from './dom.js';
import { plain, words } from './format.js';
import { categorical, sequential } from './theme.js';

const SMALLEST = 4, LARGEST = 11, UNKNOWN = 6; // pixels

// The area grows linearly with the occupancy.
export function sizeOf(model, i, scale = 1) {
  const share = model.trials.occupancy[i];
  return scale * (share > 0 ? Math.sqrt(SMALLEST ** 2 + (LARGEST ** 2 - SMALLEST ** 2) * Math.min(share, 1)) : UNKNOWN);
}

export const colourChoices = (model) => [['none', 'nothing'], ['status', 'status'],
  ...model.varying.map((k) => [String(k), model.view.params[k].name])];

// {groups: [{label, colour}], of(i) -> group}
export function encode(model, by, theme) {
  if (by === 'none') return { groups: [{ label: 'candidate', colour: theme.point }], of: () => 0 };
  if (by === 'status') {
    return {
      groups: model.view.statuses.map((s, k) => ({ label: words(s), colour: s === 'ok' ? theme.point : categorical(k) })),
      of: (i) => model.trials.status[i],
    };
  }
  const k = Number(by);
  const values = model.occurring[k];
  const places = new Map(values.map((v, j) => [v, j]));
  return {
    groups: values.map((v, j) => ({
      label: `${model.view.params[k].name} ${plain(v)}`,
      colour: values.length <= 2 ? categorical(j) : sequential(j / (values.length - 1)),
    })),
    of: (i) => places.get(model.trials.config[k][i]) ?? -1,
  };
}

export function legend(groups, used) {
  const shown = groups.filter((_, g) => used.has(g));
  const most = 12;
  return h('ul.legend', { 'aria-label': 'Colours' },
    shown.slice(0, most).map((g) => h('li', null, h('i.dot', { style: { background: g.colour } }), g.label)),
    shown.length > most ? h('li', null, `and ${shown.length - most} more`) : null);
}
