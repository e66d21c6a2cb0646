import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'gateway-compile-cache-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const module = new URL('./compile-cache.js', import.meta.url).href;

/** What a process that keeps its code in the folder does: the folder that Node says it uses. */
function used(folder: string, env: Readonly<Record<string, string>> = {}): string {
  const code = `import { getCompileCacheDir } from 'node:module'; import { keepCompiled } from '${module}';
    keepCompiled(${JSON.stringify(folder)}); process.stdout.write(getCompileCacheDir() ?? 'none');`;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8', env });
  expect(run.stderr).toBe('');
  return run.stdout;
}

describe('what Node compiled', () => {
  it('is kept in a folder that only its owner can open', () => {
    const folder = join(home, 'a/b');
    expect(used(folder)).toContain(folder);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('is kept in a folder that is there already', () => {
    const folder = join(home, 'own');
    mkdirSync(folder, { mode: 0o755 });
    expect(used(folder)).toContain(folder);
  });

  it.each([0o777, 0o775, 0o1777])('is not taken from a folder that others may write to (%o)', (mode) => {
    const folder = join(home, 'open');
    mkdirSync(folder);
    chmodSync(folder, mode);
    expect(used(folder)).toBe('none');
  });

  it('is not kept where no folder can be made', () => {
    writeFileSync(join(home, 'file'), '');
    expect(used(join(home, 'file/sub'))).toBe('none');
  });

  it('is not kept when Node is told so', () => {
    expect(used(join(home, 'sub'), { NODE_DISABLE_COMPILE_CACHE: '1' })).toBe('none');
  });

  it('spares the second start the type stripper', () => {
    const probe =
      "process.on('exit', () => process.stderr.write(String(process.moduleLoadList.some((name) => name.includes('amaro/dist')))));";
    const command = fileURLToPath(new URL('./cli/bin.js', import.meta.url));
    const check = (): string =>
      spawnSync(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(probe)}`, command, 'version'], {
        encoding: 'utf8',
        env: { NODE_COMPILE_CACHE: home },
      }).stderr;
    expect([check(), check()]).toEqual(['true', 'false']);
  });
});
