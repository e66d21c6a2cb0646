import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { providers, stages } from '../../plugins/index.ts';
import type { LoadedConfig } from '../../src/config/reload/load.ts';
import { createLoader, type Loader } from '../../src/config/reload/loader.ts';
import { dryRun } from '../../src/gateway/reload/dry-run.ts';
import { runHere } from '../cli/in-process.ts';
import { startProcess, run } from '../cli/process.ts';
import { type Case, describeLoad, inFolder, loadCase, readCases } from './case.ts';

/** `gateway check` rejects the same configurations as `gateway start`, for the same reasons. */

const cases = readCases();
const registry = { providers, stages };

describe('check and start report the same diagnostics', () => {
  let loader: Loader;
  beforeAll(() => {
    loader = createLoader(new URL('../../src/gateway/loading/config-worker.ts', import.meta.url), { limitMs: 120_000 });
  });
  afterAll(() => loader.close());

  it.each(cases.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    const checked = await loadCase(one);
    const started = await inFolder(one, async (cwd): Promise<{ loaded: LoadedConfig; cwd: string; startError: string | undefined }> => {
      const loaded = await loader.load({ source: { path: 'gateway.yaml' }, cwd, env: one.env, allowMissingSecrets: one.allowMissing });
      const startError = loaded.tree === undefined ? undefined : await dryRun({ ...loaded, tree: loaded.tree }, registry);
      return { loaded, cwd, startError };
    });
    const setUp = checked.loaded.diagnostics.find(({ code }) => code === 'setup-failed');
    expect(started.startError?.replace(/\.$/, '')).toBe(setUp?.message);
    // The setup runs in the gateway, not in the process that loads.
    const isSame =
      setUp === undefined
        ? checked.loaded
        : { ...checked.loaded, diagnostics: checked.loaded.diagnostics.filter((each) => each !== setUp) };
    const facts = setUp === undefined ? one.facts : [];
    expect(describeLoad({ ...started.loaded, tree: setUp === undefined ? started.loaded.tree : undefined }, started.cwd, facts)).toBe(
      describeLoad(isSame, checked.cwd, facts),
    );
    expect(started.loaded.tree === undefined || started.startError !== undefined).toBe(checked.loaded.tree === undefined);
  });
});

/** One case for each kind of error, with the real commands. */
const kinds = [
  'unknown-key-top-level',
  'wrong-type-mode',
  'duplicate-key-in-two-files',
  'unset-variable',
  'unreadable-file-secret',
  'unreadable-file-include',
  'bad-key-hash',
  'bad-plugin-throws',
  'setup-failed',
  'setup-failed-key-with-a-line-break',
  'exposed',
  'exposed-chain-without-auth-to-others',
  'no-match-of-keys',
  'unusable-path',
  'conflict-state-dir-required',
  'out-of-range-socket',
];

describe('gateway check and gateway start', () => {
  const find = (name: string): Case[] => cases.filter((one) => one.name === name);

  it.each(kinds.flatMap(find).map((one) => [one.name, one] as const))(
    'reject the same configuration with the same errors: %s',
    async (_name, one) => {
      await inFolder(one, async (cwd) => {
        const [checked, started] = await Promise.all([runHere(['check', '--json'], cwd, { env: one.env }), run(['start'], cwd, one.env)]);
        expect([checked.code, started.code]).toEqual([3, 3]);
        const { diagnostics } = JSON.parse(checked.out) as LoadedConfig;
        const errors = diagnostics.filter(({ severity }) => severity === 'error');
        expect(errors.length).toBeGreaterThan(0);
        for (const { message } of errors) expect(started.err).toContain(`error: ${message}`);
      });
    },
  );

  it.each(
    ['ok-smallest', 'ok-included-files', 'no-match', 'never-used-weight-zero', 'missing-key-stages-of-the-chain']
      .flatMap(find)
      .map((one) => [one.name, one] as const),
  )('accept the same configuration: %s', async (_name, one) => {
    await inFolder(one, async (cwd) => {
      expect(await runHere(['check'], cwd, { env: one.env })).toMatchObject({ code: 0 });
      const running = startProcess(['start', '--listen', '127.0.0.1:0'], cwd, one.env);
      await running.waitForOutput(/"msg":"gateway started"/);
      running.child.kill('SIGTERM');
      expect(await running.ended).toMatchObject({ code: 0 });
    });
  });

  it('accept a missing secret with --allow-missing-secrets', async () => {
    const [one] = find('unset-variable');
    if (one === undefined) throw new Error('there is no such case');
    await inFolder(one, async (cwd) => {
      const flag = '--allow-missing-secrets';
      expect(await runHere(['check', flag], cwd)).toMatchObject({ code: 0 });
      const running = startProcess(['start', flag, '--listen', '127.0.0.1:0'], cwd);
      await running.waitForOutput(/"msg":"gateway started"/);
      running.child.kill('SIGTERM');
      expect(await running.ended).toMatchObject({ code: 0 });
    });
  });

  it('start uses --listen in place of the address in the file', async () => {
    const [one] = find('exposed');
    if (one === undefined) throw new Error('there is no such case');
    await inFolder(one, async (cwd) => {
      const running = startProcess(['start', '--listen', '127.0.0.1:0'], cwd);
      await running.waitForOutput(/"msg":"gateway started"/);
      running.child.kill('SIGTERM');
      expect(await running.ended).toMatchObject({ code: 0 });
    });
  });
});
