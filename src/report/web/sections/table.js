// Every trial in a grid that creates only the visible rows. It can be sorted, filtered and navigated by keys.
import { columnsOf, sorted } from '../columns.js';
import { h, replace, tick } from '../dom.js';
import { filterBar } from '../filters.js';

const ROW = 30, EXTRA = 8; // pixels; rows beyond the edges

export function tableSection(model, state, scope) {
  let columns = columnsOf(model, false);
  let order = { column: columns[1], descending: false };
  let rows = [];
  let cursor = 0;
  let drawn = '';
  const head = h('div.grid-row.grid-head', { role: 'row', 'aria-rowindex': 1 });
  const body = h('div.grid-body', { role: 'rowgroup' });
  const grid = h('div.grid', { role: 'grid', tabindex: 0, 'aria-label': 'Trials. Arrow keys move, Enter pins, Escape unpins.', 'aria-multiselectable': 'false' },
    h('div', { role: 'rowgroup', class: 'grid-heads' }, head), body);

  function drawHead() {
    grid.style.setProperty('--columns', columns.map((c) => c.width + 'px').join(' '));
    grid.setAttribute('aria-colcount', columns.length);
    const width = columns.reduce((a, c) => a + c.width, 0) + 'px';
    head.style.width = body.style.width = width;
    replace(head, columns.map((c, k) => {
      const sorting = c.title === order.column.title;
      return h('div.cell' + (c.number ? '.number' : ''), { role: 'columnheader', 'aria-colindex': k + 1, 'aria-sort': sorting ? (order.descending ? 'descending' : 'ascending') : 'none' },
        h('button', { type: 'button', title: c.why || c.title, onclick: () => sortBy(c, k) }, c.title, h('i', { 'aria-hidden': 'true' }, sorting ? (order.descending ? '▼' : '▲') : '')));
    }));
  }

  function sortBy(column, k) {
    order = { column, descending: order.column.title === column.title && !order.descending };
    drawHead();
    head.children[k].firstChild.focus();
    refresh();
  }

  function row(at) {
    const i = rows[at];
    const mark = model.mark(i);
    return h('div.grid-row' + (mark.startsWith('best') ? '.best' : '') + (model.timed(i) ? '' : '.failed') + (at === cursor ? '.cursor' : '') + (i === state.hovered ? '.hovered' : ''), {
      role: 'row', id: 'row-' + i, 'aria-rowindex': at + 2, 'aria-selected': String(i === state.pinned), 'data-trial': i, style: { top: at * ROW + 'px' },
    }, columns.map((c, k) => h('div.cell' + (c.number ? '.number' : ''), { role: 'gridcell', 'aria-colindex': k + 1 }, c.text(i))));
  }

  // Redraws only if other rows become visible or their content has changed.
  function draw(force) {
    const first = Math.max(Math.floor(grid.scrollTop / ROW) - EXTRA, 0);
    const last = Math.min(first + Math.ceil((grid.clientHeight || 460) / ROW) + 2 * EXTRA, rows.length);
    const now = `${first}:${last}`;
    if (!force && now === drawn) return;
    drawn = now;
    const out = [];
    for (let at = first; at < last; ++at) out.push(row(at));
    replace(body, out);
    if (rows.length) grid.setAttribute('aria-activedescendant', 'row-' + rows[cursor]);
    else replace(body, h('p.empty', { role: 'row' }, h('span', { role: 'gridcell' }, 'No trial passes the filter.')));
  }

  function refresh() {
    const kept = rows[cursor];
    rows = sorted(state.passing, order.column, order.descending);
    cursor = Math.max(rows.indexOf(kept), 0);
    body.style.height = Math.max(rows.length * ROW, 60) + 'px';
    grid.setAttribute('aria-rowcount', rows.length + 1);
    grid.scrollTop = 0;
    draw(true);
  }

  function show(at) {
    cursor = Math.min(Math.max(at, 0), rows.length - 1);
    const top = cursor * ROW;
    const room = grid.clientHeight - ROW; // below the head
    if (top < grid.scrollTop) grid.scrollTop = top;
    else if (top + ROW > grid.scrollTop + room) grid.scrollTop = top + ROW - room;
    draw(true);
  }

  const page = () => Math.max(Math.floor(grid.clientHeight / ROW) - 2, 1);
  const keys = {
    ArrowDown: () => show(cursor + 1), ArrowUp: () => show(cursor - 1), PageDown: () => show(cursor + page()), PageUp: () => show(cursor - page()),
    Home: () => show(0), End: () => show(rows.length - 1),
    ArrowLeft: () => { grid.scrollLeft -= 60; }, ArrowRight: () => { grid.scrollLeft += 60; },
    Enter: () => rows.length && state.pin(rows[cursor]), ' ': () => rows.length && state.pin(rows[cursor]), Escape: () => state.pin(null),
  };
  grid.addEventListener('keydown', (event) => {
    if (event.target !== grid || !keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  let queued = false;
  grid.addEventListener('scroll', () => {
    if (queued) return;
    queued = true;
    requestAnimationFrame(() => { queued = false; draw(false); });
  });
  const trialAt = (event) => { const r = event.target.closest('[data-trial]'); return r ? Number(r.dataset.trial) : null; };
  body.addEventListener('click', (event) => { const i = trialAt(event); if (i !== null) { cursor = rows.indexOf(i); state.pin(i); draw(true); } });
  body.addEventListener('mouseover', (event) => state.hover(trialAt(event)));
  body.addEventListener('mouseleave', () => state.hover(null));
  state.on('filter', refresh);
  state.on('pin', () => {
    const at = rows.indexOf(state.pinned);
    if (at >= 0 && document.activeElement !== grid) show(at);
    else draw(true);
  });
  const markHovered = () => {
    for (const r of body.children) r.classList.toggle('hovered', Number(r.dataset.trial) === state.hovered);
  };
  state.on('hover', markHovered);
  drawHead();
  refresh();
  const size = new ResizeObserver(() => draw(false));
  size.observe(grid);
  scope.end.push(() => size.disconnect());
  return h('div', null, filterBar(model, state),
    model.view.metrics.length ? h('div.controls', null, tick('counter columns', false, (on) => { columns = columnsOf(model, on); drawHead(); draw(true); })) : null, grid);
}
