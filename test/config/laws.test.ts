import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { providers, stages } from '../../plugins/index.ts';
import { prettyDiagnostics } from '../../src/cli/diagnostics.ts';
import { loadConfig } from '../../src/config/reload/load.ts';
import { readCases } from './case.ts';

const secret = 'sk-secret-value';
const load = (text: string) =>
  loadConfig({ source: { text, name: 'x.yaml' }, cwd: '/nowhere', env: { KEY: secret }, providers, plugins: stages });

const text =
  readCases()
    .find((one) => one.name === 'ok-full-example')
    ?.files.get('gateway.yaml') ?? '';

/** One typing mistake: characters removed, inserted, or a line moved. */
const slip = fc.oneof(
  fc.record({ at: fc.nat(text.length), remove: fc.nat(12), insert: fc.constant('') }),
  fc.record({
    at: fc.nat(text.length),
    remove: fc.nat(2),
    insert: fc.constantFrom(
      '\t',
      '"',
      "'",
      '{',
      '}',
      '[',
      ']',
      ': ',
      '- ',
      '&a ',
      '*a',
      '${',
      '@',
      '#',
      '\n',
      '\u0000',
      '|',
      '>',
      '<<: ',
      '%',
      '🙂',
    ),
  }),
  fc.record({ at: fc.nat(text.length), remove: fc.nat(40), insert: fc.string({ maxLength: 12 }) }),
);

describe('loading a configuration', () => {
  it('returns a tree or errors with a position for any text, and prints no secret', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(slip, { minLength: 1, maxLength: 3 }), async (slips) => {
        const broken = slips.reduce((now, { at, remove, insert }) => now.slice(0, at) + insert + now.slice(at + remove), text);
        const lines = broken.split(/\r?\n/);
        const loaded = await load(broken);
        const errors = loaded.diagnostics.filter((one) => one.severity === 'error');
        expect(loaded.tree === undefined).toBe(errors.length > 0);
        for (const one of loaded.diagnostics) {
          expect(one.line).toBeGreaterThan(0);
          expect(one.line).toBeLessThanOrEqual(lines.length);
          expect(one.column).toBeLessThanOrEqual((lines[one.line - 1] ?? '').length + 1);
          expect(one.endColumn).toBeGreaterThan(one.column);
        }
        expect(prettyDiagnostics(loaded.diagnostics, { colors: false })).not.toContain(secret);
      }),
      // A load compiles every schema that the file uses, so a busy machine needs a longer timeout.
      { numRuns: 150, interruptAfterTimeLimit: 15_000 },
    );
  });

  it('changes the revision if a value changes, but not if the order of keys changes', async () => {
    const [a, b, c] = await Promise.all([
      load('version: 1\nproviders: {x: {type: mock, name: one}, y: {type: mock}}\n'),
      load('providers: {y: {type: mock}, x: {name: one, type: mock}}\nversion: 1\n'),
      load('version: 1\nproviders: {x: {type: mock, name: two}, y: {type: mock}}\n'),
    ]);
    expect(a.revision).toBe(b.revision);
    expect(a.revision).not.toBe(c.revision);
  });

  it('changes the revision if a secret changes', async () => {
    const source = { text: 'version: 1\nproviders: {x: {type: openai, api_key: "${env:KEY}"}}\n', name: 'x.yaml' };
    const at = (KEY: string) => loadConfig({ source, cwd: '/nowhere', env: { KEY }, providers, plugins: stages });
    const [a, b] = await Promise.all([at('first-secret'), at('second-secret')]);
    expect(a.revision).not.toBe(b.revision);
  });
});
