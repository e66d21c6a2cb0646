import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { isBuilt } from '../../.ci/dashboard.mjs';
import { root } from '../repo/tree.ts';
import { built } from '../support/dashboard/page.ts';

let folder = '';
beforeAll(async () => {
  folder = await built();
});

const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const served = ['index.html', 'dashboard.js', 'dashboard.css'];

describe('the built dashboard', () => {
  it('consists of one page, one script and one style sheet', () => {
    expect(
      readdirSync(folder)
        .filter((name) => /\.(html|js|css)$/.test(name))
        .toSorted(),
    ).toEqual(served.toSorted());
    expect(isBuilt(root)).toBe(true);
  });

  it('is less than 150 KB compressed', () => {
    const size = served.reduce((sum, name) => sum + gzipSync(read(name), { level: 9 }).length, 0);
    expect(size).toBeGreaterThan(20_000);
    expect(size).toBeLessThan(150_000);
  });

  it('sends no request to other hosts', () => {
    const names = served.flatMap((name) => [...read(name).matchAll(/https?:\/\/[\w.-]+/g)].map(([url]) => url));
    // XML namespaces, and URLs in examples and in a library's message, are not requested.
    expect(names.filter((url) => !/^https?:\/\/(www\.w3\.org|127\.0\.0\.1|localhost)/.test(url))).toEqual([]);
  });

  it('contains no inline code that the Content-Security-Policy of the admin listener would block', () => {
    expect(read('index.html')).not.toMatch(/<style|style=|<script(?![^>]*\bsrc=)|\son\w+=/);
    expect(read('dashboard.js')).not.toMatch(/dangerouslySetInnerHTML=|new Function\(|\beval\(/);
  });
});

it('can be built by several processes at once', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'gateway-builds-'));
  const ui = join(copy, 'src/admin/ui');
  mkdirSync(join(ui, 'styles'), { recursive: true });
  for (const name of ['main.tsx', 'index.html', 'styles/main.css']) writeFileSync(join(ui, name), '');
  const tools = pathToFileURL(join(root, '.ci/dashboard.mjs')).href;
  const script = `import { buildDashboard, isBuilt } from ${JSON.stringify(tools)};
    const [copy, modules] = process.argv.slice(1);
    for (let n = 0; n < 20; n += 1) {
      await buildDashboard(copy, modules);
      if (!isBuilt(copy)) throw new Error('not built');
    }`;
  const build = async (): Promise<string> => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, copy, join(root, 'node_modules')]);
    let errors = '';
    child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
    const [code] = (await once(child, 'close')) as [number];
    return code === 0 ? '' : errors;
  };
  try {
    expect(await Promise.all([build(), build(), build()])).toEqual(['', '', '']);
    expect(readdirSync(join(copy, 'dist'))).toEqual(['dashboard']);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});
