// Creates elements from values. Text is only inserted as text nodes, so that the name of a kernel can never become
// markup.

function put(parent, child) {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) child.forEach((c) => put(parent, c));
  else parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
}

// h('button.primary', {type: 'button', onclick}, 'text', node, [nodes])
export function h(name, attributes, ...children) {
  const [tag, ...classes] = name.split('.');
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'style') for (const [name_, v] of Object.entries(value)) element.style.setProperty(name_, v);
    else element.setAttribute(key, value === true ? '' : value);
  }
  put(element, children);
  return element;
}

export function svg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  put(element, children);
  return element;
}

// A text with a problem or a configuration: a line may end after a dim, a flag or a value, and not within one.
export const breakable = (text) => text.split(/(?<=[,;])/).map((part, i) => (i ? [h('wbr'), part] : part));

export function replace(element, ...children) {
  element.textContent = '';
  put(element, children);
  return element;
}

// A labelled <select>; options are [value, text].
export function choice(label, options, value, onchange) {
  const select = h('select', { 'aria-label': label, onchange: () => onchange(select.value) },
    options.map(([v, text]) => h('option', { value: v, selected: String(v) === String(value) }, text)));
  return h('label.choice', null, h('span', null, label), select);
}

export function tick(label, checked, onchange) {
  const box = h('input', { type: 'checkbox', checked, onchange: () => onchange(box.checked) });
  return h('label.tick', null, box, h('span', null, label));
}

// Buttons of which one is pressed; options are [value, text].
export function segments(label, options, value, onchange) {
  const buttons = options.map(([v, text]) => h('button', {
    type: 'button', 'aria-pressed': String(v === value), onclick: () => {
      buttons.forEach((b, i) => b.setAttribute('aria-pressed', String(options[i][0] === v)));
      onchange(v);
    },
  }, text));
  return h('div.segments', { role: 'group', 'aria-label': label }, buttons);
}
