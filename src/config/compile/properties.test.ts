import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject } from '../../core/json/merge.ts';
import { slugOf } from '../../core/model/model-name.ts';
import { compiled, configIn, leavesAt } from '../fixtures/compiled.ts';
import type { ConfigEntry } from '../schema/index.ts';

const providers = { main: { type: 'acme', api_key: 'main-key' }, eu: { type: 'globex', api_key: 'eu-key', region: 'eu' } };

/** The path of the first unfrozen object in a value; objects of plugins and errors are skipped. */
function unfrozen(value: unknown, path = '$', seen = new Set<unknown>()): string | undefined {
  if (typeof value !== 'object' || value === null || seen.has(value) || value instanceof Error) return undefined;
  seen.add(value);
  if (!(value instanceof Map) && !Object.isFrozen(value)) return path;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  for (const [key, member] of entries as [string, unknown][]) {
    if (key === 'provider' || key === 'types') continue;
    const found = unfrozen(member, `${path}.${key}`, seen);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A compiled value in comparable form, with functions replaced by a placeholder. */
function comparable(value: unknown, seen = new Set<unknown>()): unknown {
  if (typeof value === 'function') return 'function';
  if (value instanceof Map) return [...value].map(([key, member]) => [key, comparable(member, seen)]);
  if (Array.isArray(value)) return value.map((member) => comparable(member, seen));
  if (!isJsonObject(value) || seen.has(value)) return value === undefined || seen.has(value) ? '-' : value;
  seen.add(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, key === 'parent' || key === 'provider' ? '-' : comparable(member, seen)]),
  );
}

describe('compiling any config', () => {
  const settings = fc.record(
    {
      // A model with an unknown slug is an error that the checks before compiling find.
      override_params: fc
        .dictionary(fc.constantFrom('temperature', 'model', 'x', 'y'), fc.jsonValue({ maxDepth: 2 }))
        .filter(({ model }) => typeof model !== 'string' || slugOf(model) === undefined),
      labels: fc.dictionary(fc.string(), fc.string()),
      retry: fc.record({ attempts: fc.nat(5), on_status_codes: fc.array(fc.constantFrom(429, '5xx', '500-504')) }, { requiredKeys: [] }),
      request_timeout: fc.integer({ min: 1, max: 99_999 }),
      weight: fc.nat(9),
    },
    { requiredKeys: [] },
  );
  const { config } = fc.letrec<{ config: ConfigEntry; target: ConfigEntry | string }>((ref) => ({
    target: fc.oneof({ depthSize: 'small' }, fc.constantFrom('main/a', 'eu'), settings as fc.Arbitrary<ConfigEntry>, ref('config')),
    config: fc
      .tuple(settings, fc.constantFrom('single', 'fallback', 'loadbalance'), fc.array(ref('target'), { minLength: 1, maxLength: 3 }))
      .map(([members, mode, targets]) => ({ ...members, strategy: { mode }, targets }) as ConfigEntry),
  }));

  it('returns equal, deeply frozen snapshots for the same tree and does not change the tree', () => {
    fc.assert(
      fc.property(config, (entry) => {
        const tree = { providers, configs: { c: entry } };
        const before = structuredClone(tree);
        const build = () => compiled(structuredClone(tree));
        expect(comparable(build())).toEqual(comparable(build()));
        expect(unfrozen(build())).toBeUndefined();
        expect(tree).toEqual(before);
        for (const leaf of leavesAt(configIn(build(), 'c').root)) expect(leaf.retry.attempts).toBeLessThanOrEqual(5);
      }),
      { numRuns: 60 },
    );
  });
});
