// Runs the tests of the report in a browser: run.mjs <build>/web <warptune> <sources>; exits with 77 without Chromium.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [web, program, sources] = process.argv.slice(2);
const chromium = ['chromium', 'chromium-browser', 'google-chrome'].map((name) => spawnSync('sh', ['-c', 'command -v "$1"', 'sh', name], { encoding: 'utf8' }).stdout.trim()).find(Boolean);
if (!chromium) {
  console.log('skipped: no Chromium here; Debian: apt-get install chromium');
  process.exit(77);
}
const tests = ['page', 'interaction', 'panes', 'program'].map((name) => join(dirname(fileURLToPath(import.meta.url)), name + '.test.mjs'));
const done = spawnSync(process.execPath, ['--test', ...tests], { stdio: 'inherit', env: { ...process.env, WT_WEB: web, WT_PROGRAM: program, WT_SOURCES: sources, WT_CHROMIUM: chromium } });
process.exit(done.status ?? 1);
