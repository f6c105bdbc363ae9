// Bundles the front end into the three files that the program carries: build.mjs <sources> <node_modules> <out>.
// Run from a folder of the build that has node_modules; nothing is written into the source tree.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const [sources, modules, out] = process.argv.slice(2);
const MAX_JS_BYTES = 700_000;

const common = { bundle: true, minify: true, write: false, nodePaths: [modules], target: ['es2020'], logLevel: 'warning' };
const text = async (entry, options) => (await build({ ...common, entryPoints: [join(sources, entry)], ...options })).outputFiles[0].text;
const js = await text('main.js', { format: 'iife', legalComments: 'none', charset: 'ascii' });
const css = await text('report.css', {});
const license = '/*! Apache ECharts, (c) The Apache Software Foundation, Apache-2.0, https://echarts.apache.org; '
  + 'zrender, (c) Baidu Inc., BSD-3-Clause; tslib, (c) Microsoft Corp., 0BSD */\n';

// The content of <script> and <style> must not end them, and must not look like a placeholder of the shell.
for (const [name, content, forbidden] of [
  ['report.js', js, /<\/script|<!--|\{\{(title|css|js|data|static)\}\}/i],
  ['report.css', css, /<\/style|<!--|@import|url\(|\{\{(title|css|js|data|static)\}\}/i],
]) {
  const found = forbidden.exec(content);
  if (found) throw new Error(`${name} contains ${found[0]}, which cannot stand inside the report`);
}
if (js.length > MAX_JS_BYTES) throw new Error(`report.js has ${js.length} bytes, more than ${MAX_JS_BYTES}`);

mkdirSync(out, { recursive: true });
writeFileSync(join(out, 'report.js'), license + js);
writeFileSync(join(out, 'report.css'), css);
writeFileSync(join(out, 'shell.html'), readFileSync(join(sources, 'shell.html')));
