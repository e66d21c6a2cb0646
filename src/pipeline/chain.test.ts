import { describe, expect, test } from 'vitest';
import type { Facts } from '../core/context.ts';
import { GatewayError } from '../core/error.ts';
import type { PluginInstance } from '../core/plugin.ts';
import { Chain } from './chain.ts';
import type { RequestContext } from './request.ts';

const context = () => ({ facts: { ext: {} }, plugins: [] }) as unknown as RequestContext;
const chainOf = (...steps: readonly NonNullable<PluginInstance['admit']>[]): Chain =>
  new Chain(
    steps.map((admit, at) => ({ name: `p${at}`, instance: { admit } })),
    () => 0,
  );
const fact = (name: string): Partial<Facts> => ({ ext: { [name]: true } });
const refusal = new GatewayError('not_allowed', { message: 'no' });

describe('Chain.admit()', () => {
  test('returns no promise if no plugin returns one', () => {
    const ctx = context();
    const chain = chainOf(
      () => fact('a'),
      () => undefined,
      () => fact('b'),
    );
    expect(chain.admit(ctx)).toBeUndefined();
    expect(ctx.facts.ext).toEqual({ a: true, b: true });
    expect(ctx.plugins.map(({ name }) => name)).toEqual(['p0', 'p1', 'p2']);
  });

  test('waits for the promise of each plugin before it calls the next', async () => {
    const ctx = context();
    const seen: unknown[] = [];
    const chain = chainOf(
      () => Promise.resolve(fact('a')),
      ({ facts }) => {
        seen.push({ ...facts.ext });
        return fact('b');
      },
      ({ facts }) => {
        seen.push({ ...facts.ext });
        return Promise.resolve(undefined);
      },
    );
    await chain.admit(ctx);
    expect(seen).toEqual([{ a: true }, { a: true, b: true }]);
    expect(ctx.plugins.map(({ name }) => name)).toEqual(['p0', 'p1', 'p2']);
  });

  test('stops at the first plugin that rejects, synchronously or asynchronously', async () => {
    const refuse = (): never => {
      throw refusal;
    };
    expect(() => chainOf(refuse, () => expect.unreachable()).admit(context())).toThrow(refusal);
    await expect(chainOf(() => Promise.reject(refusal), refuse).admit(context())).rejects.toBe(refusal);
    await expect(chainOf(() => Promise.resolve(undefined), refuse).admit(context())).rejects.toBe(refusal);
  });
});
