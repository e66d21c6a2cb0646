import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { createLoader, type Loader } from './loader.ts';

const request = { source: { text: '', name: 'test' }, cwd: '/', env: {} };

const folder = mkdtempSync(join(tmpdir(), 'gateway-loader-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

/** A worker that responds with this code; `q` is the request. */
function worker(code: string): URL {
  files += 1;
  const file = join(folder, `${files}.mjs`);
  writeFileSync(
    file,
    `import { closeSync } from 'node:fs'; let n = 0; process.on('message', (q) => { n += 1; ${code} }); process.on('disconnect', () => process.exit());`,
  );
  return pathToFileURL(file);
}

let loader: Loader | undefined;
afterEach(() => loader?.close());

describe('Loader', () => {
  it('uses one worker for all loads', async () => {
    loader = createLoader(worker('process.send({ id: q.id, result: { revision: String(n) } })'));
    expect([await loader.load(request), await loader.load(request)]).toMatchObject([{ revision: '1' }, { revision: '2' }]);
  });

  it('returns to each load its own result', async () => {
    loader = createLoader(worker('setTimeout(() => process.send({ id: q.id, result: { revision: q.request.cwd } }), n === 1 ? 20 : 0)'));
    const loads = ['a', 'b'].map((cwd) => (loader as Loader).load({ ...request, cwd }));
    expect(await Promise.all(loads)).toMatchObject([{ revision: 'a' }, { revision: 'b' }]);
  });

  const faults: readonly (readonly [name: string, code: string, message: string])[] = [
    ['reports a failure', "process.send({ id: q.id, failure: 'a defect' })", 'a defect'],
    ['throws', "closeSync(2); throw new Error('boom')", 'code 1'],
    ['exits', 'process.exit(7)', 'code 7'],
    ['hangs', 'for (;;);', 'longer than'],
  ];
  it.each(faults)('rejects if its worker %s, and loads again', async (_name, code, message) => {
    loader = createLoader(worker(`if (q.request.cwd === 'bad') { ${code} } process.send({ id: q.id, result: { revision: 'ok' } });`), {
      limitMs: 60_000,
    });
    const limitMs = code === 'for (;;);' ? 300 : undefined;
    await expect(loader.load({ ...request, cwd: 'bad' }, limitMs)).rejects.toThrow(message);
    expect(await loader.load(request)).toMatchObject({ revision: 'ok' });
  });

  it('stops an idle worker and starts another one for the next load', async () => {
    loader = createLoader(worker('setTimeout(() => process.send({ id: q.id, result: { revision: String(n) } }), 60)'), {
      idleMs: 20,
    });
    // A worker is not idle while it works: the second load takes longer than the idle timeout.
    expect([await loader.load(request), await loader.load(request)]).toMatchObject([{ revision: '1' }, { revision: '2' }]);
    const loadAgain = async (): Promise<unknown> => (await (loader as Loader).load(request)).revision;
    await vi.waitFor(async () => expect(await loadAgain()).toBe('1'), { timeout: 60_000, interval: 100 });
  });

  it('rejects the running load and later loads after close()', async () => {
    loader = createLoader(worker(''));
    const [loadResult] = await Promise.allSettled([loader.load(request), loader.close()]);
    expect(loadResult).toMatchObject({ status: 'rejected', reason: { message: 'the loader is closed' } });
    await expect(loader.load(request)).rejects.toThrow('closed');
  });
});
