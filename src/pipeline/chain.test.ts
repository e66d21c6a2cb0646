import { describe, expect, test } from 'vitest';
import type { Facts } from '../core/context.ts';
import { GatewayError } from '../core/error.ts';
import type { Attempt, Interception } from '../core/plan.ts';
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

describe('Chain.send()', () => {
  const hit: Interception = { status: 'HIT', answer: { status: 200, headers: {}, pieces: [] } };
  const attempt = {} as Attempt;
  const sendChain = (...steps: readonly NonNullable<PluginInstance['send']>[]): Chain =>
    new Chain(
      steps.map((send, index) => ({ name: `p${index}`, instance: { send } })),
      () => 0,
    );

  test.each<[string, readonly NonNullable<PluginInstance['send']>[], Interception | undefined, readonly string[]]>([
    ['no plugin', [], undefined, []],
    ['plugins that return nothing', [() => undefined, () => Promise.resolve(undefined), () => undefined], undefined, []],
    ['the first result', [() => undefined, () => hit, () => expect.unreachable()], hit, ['p1']],
    [
      'the first result of a promise',
      [() => Promise.resolve(undefined), () => Promise.resolve(hit), () => expect.unreachable()],
      hit,
      ['p1'],
    ],
    ['a result after a promise of nothing', [() => Promise.resolve(undefined), () => hit], hit, ['p1']],
  ])('%s', async (_what, steps, expected, names) => {
    const ctx = context();
    expect(await sendChain(...steps).send(ctx, attempt)).toBe(expected);
    expect(ctx.plugins.map(({ name, moment }) => `${name} ${moment}`)).toEqual(names.map((name) => `${name} send`));
  });

  test('returns no promise if no plugin returns one', () => {
    expect(
      sendChain(
        () => undefined,
        () => hit,
      ).send(context(), attempt),
    ).toBe(hit);
  });
});
