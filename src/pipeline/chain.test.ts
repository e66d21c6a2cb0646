import { describe, expect, test } from 'vitest';
import type { Facts } from '../core/context.ts';
import { GatewayError } from '../core/error.ts';
import type { PluginInstance } from '../core/plugin.ts';
import { Chain } from './chain.ts';
import type { RequestContext } from './request.ts';

const context = () => ({ facts: { ext: {} }, plugins: [] }) as unknown as RequestContext;
const chainOf = (...steps: readonly NonNullable<PluginInstance['admit']>[]): Chain =>
  new Chain(
    steps.map((admit, index) => ({ name: `p${index}`, instance: { admit } })),
    () => 0,
  );
const factNamed = (name: string): Partial<Facts> => ({ ext: { [name]: true } });
const refusal = new GatewayError('not_allowed', { message: 'no' });

describe('Chain.admit()', () => {
  test('returns no promise if no plugin returns one', () => {
    const ctx = context();
    const chain = chainOf(
      () => factNamed('a'),
      () => undefined,
      () => factNamed('b'),
    );
    expect(chain.admit(ctx)).toBeUndefined();
    expect(ctx.facts.ext).toEqual({ a: true, b: true });
    expect(ctx.plugins.map(({ name }) => name)).toEqual(['p0', 'p1', 'p2']);
  });

  test('waits for the promise of each plugin before it calls the next', async () => {
    const ctx = context();
    const received: unknown[] = [];
    const chain = chainOf(
      () => Promise.resolve(factNamed('a')),
      ({ facts }) => {
        received.push({ ...facts.ext });
        return factNamed('b');
      },
      ({ facts }) => {
        received.push({ ...facts.ext });
        return Promise.resolve(undefined);
      },
    );
    await chain.admit(ctx);
    expect(received).toEqual([{ a: true }, { a: true, b: true }]);
    expect(ctx.plugins.map(({ name }) => name)).toEqual(['p0', 'p1', 'p2']);
  });

  test('stops at the first plugin that rejects, synchronously or asynchronously', async () => {
    const rejectRequest = (): never => {
      throw refusal;
    };
    expect(() => chainOf(rejectRequest, () => expect.unreachable()).admit(context())).toThrow(refusal);
    await expect(chainOf(() => Promise.reject(refusal), rejectRequest).admit(context())).rejects.toBe(refusal);
    await expect(chainOf(() => Promise.resolve(undefined), rejectRequest).admit(context())).rejects.toBe(refusal);
  });
});
