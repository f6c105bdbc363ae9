// The state that the sections of a view share: the pinned and the hovered trial, the filter, and listeners for changes.

export function makeState(model) {
  const listeners = new Map();
  const filter = { text: '', status: '', params: new Map() };
  let passing = model.indices;
  let passes = null; // null: all
  const tell = (event) => (listeners.get(event) || []).forEach((f) => f());
  const texts = [];
  const textOf = (i) => {
    texts[i] ??= `${model.trials.id[i]} ${model.status(i)} ${model.mark(i)} ${model.config(i).join(' ')} ${model.evidence(i)}`.toLowerCase();
    return texts[i];
  };

  function refilter() {
    const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
    const active = words.length || filter.status || filter.params.size;
    passing = !active ? model.indices : model.indices.filter((i) =>
      (!filter.status || model.status(i) === filter.status)
      && [...filter.params].every(([k, value]) => model.trials.config[k][i] === value)
      && words.every((w) => textOf(i).includes(w)));
    passes = active ? new Set(passing) : null;
    tell('filter');
  }

  return {
    pinned: null, hovered: null,
    on(event, f) { listeners.set(event, [...(listeners.get(event) || []), f]); },
    pin(i) { if (this.pinned === i) return; this.pinned = i; tell('pin'); },
    hover(i) { if (this.hovered === i) return; this.hovered = i; tell('hover'); },
    shown() { return this.hovered ?? this.pinned; },
    filter,
    setFilter(change) { Object.assign(filter, change); refilter(); },
    setParam(k, value) { if (value === null) filter.params.delete(k); else filter.params.set(k, value); refilter(); },
    clearFilter() { filter.text = ''; filter.status = ''; filter.params.clear(); refilter(); },
    get passing() { return passing; },
    passes: (i) => !passes || passes.has(i),
  };
}
