// Puts data into the built page, as the program does.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const escaped = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

export function assemble(assets, report, staticHtml = '<h2>Static part</h2><svg viewBox="0 0 10 10" width="100"><circle cx="5" cy="5" r="4"/></svg><table><tbody><tr><td>1</td></tr></tbody></table>') {
  const read = (name) => readFileSync(join(assets, name), 'utf8');
  const parts = { title: escaped(report.title), css: read('report.css'), js: read('report.js'), static: staticHtml, data: JSON.stringify(report).replace(/</g, '\\u003c') };
  return read('shell.html').replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
}
