import { describe, expect, it } from 'vitest';
import { providers } from '../../plugins/index.ts';
import { githubDiagnostics, prettyDiagnostics, shortDiagnostics } from '../../src/cli/diagnostics.ts';
import { compileConfig } from '../../src/config/compile/index.ts';
import { diagnosticCodes } from '../../src/config/report/diagnostic.ts';
import { describeLoad, loadCase, readCases } from './case.ts';

const cases = readCases();

/** Secrets of the cases, literal ones included. Shorter values could occur by chance. */
const secretOf = (secrets: readonly string[]): string[] => secrets.filter((secret) => secret.length > 7);

describe('configurations in test/config/cases', () => {
  it('cover every diagnostic code', () => {
    const used = new Set(cases.flatMap((one) => [...one.expected.matchAll(/\[([a-z-]+)\]$/gm)].map((match) => match[1])));
    expect(Object.keys(diagnosticCodes).filter((code) => !used.has(code))).toEqual([]);
    expect(cases.length).toBeGreaterThan(90);
  });

  it.each(cases.map((one) => [one.name, one] as const))('%s: reports the expected diagnostics', async (_name, one) => {
    const { loaded, cwd } = await loadCase(one);
    expect(describeLoad(loaded, cwd, one.facts)).toBe(one.expected);
    // The result can be cloned (it comes from a worker), and no format prints a secret.
    const crossed = structuredClone(loaded);
    const printed = [
      prettyDiagnostics(crossed.diagnostics, { colors: false }),
      shortDiagnostics(crossed.diagnostics),
      githubDiagnostics(crossed.diagnostics),
    ];
    for (const secret of secretOf(loaded.secrets)) expect(printed.join('\n')).not.toContain(secret);
    expect(printed.join('\n')).not.toMatch(/gw_live_9f2c|12345678901|user:secret/);
  });

  const types = new Map(providers.flatMap((one) => [one.type, ...one.aliases].map((name) => [name, one] as const)));
  const loading = cases.filter((one) => /^ok$/m.test(one.expected) && !one.files.get('gateway.yaml')?.includes('provider_plugins'));

  it.each(loading.map((one) => [one.name, one] as const))('%s: compiles', async (_name, one) => {
    const { loaded } = await loadCase(one);
    if (loaded.tree === undefined) throw new Error('it does not load');
    const credential = (_spec: unknown, owner: 'catalog' | 'caller' | 'forwarded' | 'none') => ({ owner, headers: () => [] });
    const snapshot = compileConfig({ ...loaded, tree: loaded.tree }, { providers: types, credential });
    expect([...snapshot.configs.keys()]).toEqual(Object.keys(loaded.tree.configs ?? {}));
  });
});
