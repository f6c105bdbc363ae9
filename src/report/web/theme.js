// Light, dark or the system's theme; the charts use the colours of the style sheet.

const KEY = 'warptune-theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = [];
let printing = false;

// A page opened from a file may have no storage.
function stored() {
  try { return localStorage.getItem(KEY); } catch { return null; }
}

function apply(choice) {
  const dark = !printing && (choice === 'dark' || (choice !== 'light' && system.matches));
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  listeners.forEach((f) => f());
}

export const isDark = () => document.documentElement.dataset.theme === 'dark';
export const onTheme = (f) => listeners.push(f);

export function toggleTheme() {
  const choice = isDark() ? 'light' : 'dark';
  try { localStorage.setItem(KEY, choice); } catch { /* the choice lasts as long as the page */ }
  apply(choice);
}

export function startTheme() {
  apply(stored());
  system.addEventListener('change', () => apply(stored()));
  addEventListener('beforeprint', () => { printing = true; apply(stored()); });
  addEventListener('afterprint', () => { printing = false; apply(stored()); });
}

export function tokens() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue('--' + name).trim();
  return {
    ink: get('ink'), soft: get('soft'), line: get('line'), grid: get('grid'), paper: get('paper'), accent: get('accent'),
    point: get('point'), faint: get('faint'), roof: get('roof'), font: style.fontFamily, font_size: 12,
  };
}

// Okabe and Ito's colours, distinct for every kind of colour vision; darkened for contrast on white.
const STATUS = {
  light: ['#0072b2', '#b45309', '#7a3e9d', '#00795c', '#a01a58', '#8a6d00', '#4b5563', '#c0392b'],
  dark: ['#56b4e9', '#e69f00', '#cc99ff', '#2bc79a', '#f17eb8', '#f0e442', '#b6bec9', '#ff8a75'],
};
export const categorical = (i) => { const c = STATUS[isDark() ? 'dark' : 'light']; return c[i % c.length]; };

// Viridis, without the end that is too close to the background.
const VIRIDIS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
export function sequential(share) {
  const [low, high] = isDark() ? [0.22, 1] : [0, 0.86];
  const at = (low + (high - low) * Math.min(Math.max(share, 0), 1)) * (VIRIDIS.length - 1);
  const k = Math.min(Math.floor(at), VIRIDIS.length - 2);
  const mix = VIRIDIS[k].map((c, j) => Math.round(c + (VIRIDIS[k + 1][j] - c) * (at - k)));
  return `rgb(${mix.join(',')})`;
}
