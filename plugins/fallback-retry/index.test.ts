import { describe, expect, it } from 'vitest';
import type { Routed } from '#core/context.ts';
import { GatewayError, type ProviderFault } from '#core/error.ts';
import type { Attempt, Outcome, UpstreamReply, Verdict } from '#core/plan.ts';
import type { Leaf } from '#core/snapshot.ts';
import { makeAttempt, makeBranch, makeContext, makeLeaf, makeRetry, type RequestParts, setUp } from '../../test/support/stage-context.ts';
import fallbackRetry from './index.ts';

const times = { at: 0, connectMs: 1, firstByteMs: 2, totalMs: 10 };
const notSent = { at: 0, connectMs: undefined, firstByteMs: undefined, totalMs: 0 };
const error = (message: string, more = {}) => Buffer.from(JSON.stringify({ error: { message, ...more } }));

type Make = (attempt: Attempt) => Outcome;
const answered =
  (status: number, reply: Partial<UpstreamReply> = {}): Make =>
  (attempt) => ({
    kind: 'answered',
    attempt,
    times,
    reply: { status, headers: {}, body: error('busy'), flow: undefined, tap: undefined, ...reply },
  });
const unreachable =
  (sent: boolean, code = 'ECONNRESET'): Make =>
  (attempt) => ({ kind: 'unreachable', attempt, times, cause: Object.assign(new Error('reset'), { code }), sent });
const timeout =
  (phase: 'connect' | 'first-byte' | 'request' | 'total', sent: boolean): Make =>
  (attempt) => ({ kind: 'timeout', attempt, times, phase, afterMs: 5, sent });
const faulty: Make = (attempt) => ({
  kind: 'faulty',
  attempt,
  times,
  fault: new GatewayError('upstream_invalid', { message: 'html' }),
  status: 502,
});
/** An error object as the first event of a stream. */
const overloaded =
  (fault: Partial<ProviderFault>, status = 529): Make =>
  (attempt) => ({
    kind: 'faulty',
    attempt,
    times,
    fault: new GatewayError('provider_error', { message: 'x', status, provider: { message: 'x', ...fault } }),
    status,
  });
const moved: Make = (attempt) => ({
  kind: 'faulty',
  attempt,
  times,
  fault: new GatewayError('upstream_invalid', { message: 'redirect', retry: false }),
  status: 502,
});
const refused =
  (code: 'unsupported_endpoint' | 'not_allowed' | 'invalid_header' | 'overloaded'): Make =>
  (attempt) => ({ kind: 'refused', attempt, times: notSent, error: new GatewayError(code, { message: 'no' }) });
/** By a plugin that saw the answer, or where there is no memory for it. */
const refusedAnswer: Make = (attempt) => ({ ...refused('overloaded')(attempt), times });
const cancelled: Make = (attempt) => ({ kind: 'cancelled', attempt, times });

const alone = (retry = makeRetry()): Leaf => makeLeaf({ retry });
const inFallback = (retry = makeRetry(), codes?: readonly number[]): Leaf => {
  const branch = makeBranch('fallback', [alone(retry), alone(retry)], codes && { fallsBackOn: (status) => codes.includes(status) });
  return branch.targets[0] as Leaf;
};

/** Judges the last of these outcomes; all are tries of one target. */
async function judge(target: Leaf, makes: readonly Make[], parts: RequestParts = {}): Promise<Verdict | undefined> {
  const plugin = await setUp(fallbackRetry);
  const ctx: Routed = makeContext({ body: { model: 'm' }, ...parts });
  const outcomes = makes.map((make, i) => make(makeAttempt(target, { index: i, tries: i })));
  return plugin.judge?.(ctx, outcomes.at(-1) as Outcome, outcomes.slice(0, -1));
}

const does = async (...args: Parameters<typeof judge>): Promise<string | undefined> => (await judge(...args))?.do;

describe('without retries and without a fallback', () => {
  it.each([
    ['a good answer', answered(200)],
    ['an error answer', answered(500)],
    ['a provider that was not reached', unreachable(false)],
    ['a timeout', timeout('request', true)],
    ['a refusal', refused('not_allowed')],
  ])('answers %s', async (_, make) => {
    expect(await does(alone(), [make])).toBe('answer');
  });
});

describe('retries', () => {
  it.each([
    ['a listed status', answered(429), 'again'],
    ['a status that is not listed', answered(400), 'answer'],
    ['a good answer', answered(200), 'answer'],
    ['an unreached provider', unreachable(false), 'again'],
    ['a reset after the body was sent, on a model call', unreachable(true), 'again'],
    ['a certificate that is refused', unreachable(false, 'CERT_HAS_EXPIRED'), 'answer'],
    ['a redirect', moved, 'answer'],
    ['a timeout', timeout('first-byte', true), 'again'],
    ['a timeout of everything', timeout('total', true), 'answer'],
    ['an answer that is none', faulty, 'again'],
    ['an endpoint that the provider lacks', refused('unsupported_endpoint'), 'answer'],
    ['a refusal', refused('not_allowed'), 'answer'],
    ['a used-up quota', answered(429, { body: error('pay', { isPermanent: true }) }), 'answer'],
    ['an overload that begins a stream', overloaded({}), 'again'],
    ['a used-up quota that begins a stream', overloaded({ isPermanent: true }), 'answer'],
    ['a mistake of the request that begins a stream', overloaded({}, 400), 'answer'],
    ['a client that left', cancelled, 'answer'],
  ])('after %s: %3$s', async (_, make, verdict) => {
    expect(await does(alone(makeRetry(2)), [make])).toBe(verdict);
  });

  it('look at the list of the target, not at its own', async () => {
    const retry = makeRetry(1, [418]);
    expect([await does(alone(retry), [answered(418)]), await does(alone(retry), [answered(429)])]).toEqual(['again', 'answer']);
  });

  it('are no more than the policy says', async () => {
    const fail = answered(503);
    const target = alone(makeRetry(2));
    expect([await does(target, [fail]), await does(target, [fail, fail]), await does(target, [fail, fail, fail])]).toEqual([
      'again',
      'again',
      'answer',
    ]);
  });

  it('never follow a stream that is under way', async () => {
    const flow = {
      kept: { pieces: [], size: 0, times: [] },
      into: () => undefined,
      pause: () => undefined,
      resume: () => undefined,
      abort: () => undefined,
    };
    expect(await does(inFallback(makeRetry(2, [200]), [200]), [answered(200, { flow })])).toBe('answer');
  });

  it('say why', async () => {
    expect(await judge(alone(makeRetry(1)), [answered(503)])).toMatchObject({ because: 'status 503' });
    expect(await judge(alone(makeRetry(1)), [timeout('connect', false)])).toMatchObject({ because: 'timeout (connect)' });
  });
});

describe('the pause before a retry', () => {
  const pause = async (makes: readonly Make[], random: number): Promise<number> => {
    const verdict = await judge(alone(makeRetry(5)), makes, { over: { random } });
    if (verdict?.do !== 'again') throw new Error('no retry');
    return verdict.afterMs;
  };
  const fail = answered(503);

  it.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [4, 8_000],
    [5, 16_000],
  ])('after try %i lies anywhere below %i ms', async (tries, most) => {
    const pauses = await Promise.all(Array.from({ length: 40 }, (_, i) => pause(Array<Make>(tries).fill(fail), i / 40)));
    for (const ms of pauses) expect(ms).toBeLessThanOrEqual(most);
    expect(Math.max(...pauses)).toBeGreaterThan(most * 0.9);
    expect(Math.min(...pauses)).toBeLessThan(most * 0.1);
  });

  it('is the same for the same facts', async () => {
    expect(await pause([fail, fail], 0.3)).toBe(await pause([fail, fail], 0.3));
    expect(await pause([fail], 0.3)).not.toBe(await pause([fail], 0.4));
  });

  const listening = alone(makeRetry(5, [429], true));
  const asks = (seconds: string): Make => answered(429, { headers: { 'retry-after': seconds } });

  it('is what the provider asks for, where the policy listens', async () => {
    expect(await judge(listening, [asks('7')])).toMatchObject({ do: 'again', afterMs: 7000 });
    expect(await judge(listening, [answered(429, { headers: { 'retry-after-ms': '70' } })])).toMatchObject({ afterMs: 70 });
    expect(await judge(listening, [asks('Sat, 21 Nov 2026 12:00:09 GMT')])).toMatchObject({ afterMs: 9000 });
    expect(await judge(listening, [answered(429, { body: error('busy', { retryAfterMs: 5000 }) })])).toMatchObject({ afterMs: 5000 });
  });

  it('is what an error at the start of a stream asks for', async () => {
    expect(await judge(listening, [overloaded({ retryAfterMs: 5000 })])).toMatchObject({ do: 'again', afterMs: 5000 });
  });

  it('is not what the provider asks for elsewhere', async () => {
    expect(await judge(alone(makeRetry(5)), [asks('7')], { over: { random: 0.5 } })).toMatchObject({ do: 'again', afterMs: 500 });
  });

  it.each([
    ['one wait too long', [asks('61')]],
    ['a date too far away', [asks('Sat, 21 Nov 2026 12:02:00 GMT')]],
    ['all waits together too long', [asks('40'), asks('21')]],
  ])('ends the retries: %s', async (_, makes) => {
    expect(await judge(listening, makes)).toMatchObject({ do: 'answer', because: expect.stringMatching(/too long/) as string });
  });

  it('may be sixty seconds in all', async () => {
    expect(await does(listening, [asks('40'), asks('20')])).toBe('again');
  });

  it.each([
    ['asked for, long, in a fallback', inFallback(makeRetry(5, [429], true)), '2', true],
    ['asked for and short', inFallback(makeRetry(5, [429], true)), '1', false],
    ['asked for in vain', inFallback(makeRetry(5, [429])), '2', false],
    ['asked for, where the status moves nothing on', inFallback(makeRetry(5, [429], true), [500]), '2', false],
    ['asked for where there is no fallback', listening, '2', false],
  ])('gives way to the next target: %s', async (_, target, seconds, gives) => {
    const verdict = await judge(target, [asks(seconds)]);
    expect(verdict).toMatchObject({ do: 'again' });
    expect(verdict !== undefined && 'orNext' in verdict).toBe(gives);
  });

  it('that is too long moves a fallback on', async () => {
    expect(await judge(inFallback(makeRetry(5, [429], true)), [asks('61')])).toMatchObject({
      do: 'next',
      because: expect.stringMatching(/too long/) as string,
    });
  });
});

describe('a fallback', () => {
  it.each([
    ['an error answer', answered(400), undefined, 'next'],
    ['a good answer', answered(200), undefined, 'answer'],
    ['a listed status', answered(429), [429], 'next'],
    ['a status that is not listed', answered(500), [429], 'answer'],
    ['a listed good status', answered(246), [246], 'next'],
    ['an unreached provider, whatever the list', unreachable(true), [429], 'next'],
    ['a certificate that is refused, whatever the list', unreachable(false, 'CERT_HAS_EXPIRED'), [429], 'next'],
    ['an error object that begins a stream, whatever the list', overloaded({}, 400), [429], 'next'],
    ['a timeout, whatever the list', timeout('total', true), [429], 'next'],
    ['an answer that is none, whatever the list', faulty, [429], 'next'],
    ['a missing endpoint, whatever the list', refused('unsupported_endpoint'), [429], 'next'],
    ['a refusal that is not listed', refused('not_allowed'), [429], 'answer'],
    ['a mistake of the caller', refused('invalid_header'), undefined, 'answer'],
    ['a client that left', cancelled, undefined, 'answer'],
  ])('after %s', async (_, make, codes, verdict) => {
    expect(await does(inFallback(makeRetry(), codes), [make])).toBe(verdict);
  });

  it('comes after the retries', async () => {
    const target = inFallback(makeRetry(1));
    expect([await does(target, [answered(503)]), await does(target, [answered(503), answered(503)])]).toEqual(['again', 'next']);
  });

  it('above a group of targets moves on too', async () => {
    const outer = makeBranch('fallback', []);
    const inner = makeBranch('loadbalance', [alone()], { parent: outer, fallsBackOn: () => false });
    expect(await does(inner.targets[0] as Leaf, [answered(503)])).toBe('next');
  });

  it('is not what a load balancer does', async () => {
    expect(await does(makeBranch('loadbalance', [alone(), alone()]).targets[0] as Leaf, [answered(503)])).toBe('answer');
  });
});

describe('routes that make an object', () => {
  const creating: RequestParts = { body: { model: 'm', background: true }, over: { endpoint: 'responses', path: '/v1/responses' } };
  it.each([
    ['a rate limit', answered(429), 'again'],
    ['an unreached provider', unreachable(false), 'again'],
    ['a reset after the body was sent', unreachable(true), 'answer'],
    ['a timeout', timeout('request', true), 'answer'],
    ['a server error', answered(500), 'answer'],
    ['an answer that is none', faulty, 'answer'],
    ['a refusal before it was sent', refused('overloaded'), 'again'],
    ['a refusal of its answer', refusedAnswer, 'answer'],
  ])('after %s', async (_, make, verdict) => {
    expect(await does(inFallback(makeRetry(1)), [make], creating)).toBe(verdict);
  });

  it('move on when the provider lacks them', async () => {
    expect(await does(inFallback(), [refused('unsupported_endpoint')], creating)).toBe('next');
  });
});

describe('routes that name an object by id', () => {
  const naming = (method: string): RequestParts => ({ body: '{}', over: { endpoint: 'responses/{id}', path: '/v1/responses/r', method } });
  it.each([
    ['an unknown id', answered(404), 'GET', 'next'],
    ['an unreached provider', unreachable(false), 'GET', 'next'],
    ['a server error', answered(500), 'GET', 'answer'],
    ['a reset in the middle of reading', unreachable(true), 'GET', 'answer'],
    ['a reset in the middle of cancelling', unreachable(true), 'POST', 'answer'],
  ])('after %s', async (_, make, method, verdict) => {
    expect(await does(inFallback(makeRetry(0)), [make], naming(method))).toBe(verdict);
  });

  it.each([
    ['a reset', unreachable(true)],
    ['a refusal of the answer', refusedAnswer],
  ])('are read again, but not cancelled again, after %s', async (_, make) => {
    const target = alone(makeRetry(1));
    expect([await does(target, [make], naming('GET')), await does(target, [make], naming('POST'))]).toEqual(['again', 'answer']);
  });
});

describe('calls of several requests', () => {
  const batch: RequestParts = { body: '{}', over: { endpoint: 'batches', path: '/v1/batches', method: 'POST' } };
  const cancel: RequestParts = { body: '{}', over: { endpoint: 'batches/{id}/cancel', path: '/v1/batches/b/cancel', method: 'POST' } };
  const later =
    (make: Make, hasWritten: boolean): Make =>
    (attempt) =>
      make({ ...attempt, isFollowUp: true, hasWritten });

  it.each([
    ['a rate limit behind a read', later(answered(429), false), batch, 'again'],
    ['a rate limit behind what was written', later(answered(429), true), batch, 'answer'],
    ['an unreached provider behind what was written', later(unreachable(false), true), batch, 'answer'],
    [
      'a refusal of what a read found',
      (attempt) => refusedAnswer({ ...attempt, upstream: { method: 'GET' } as Attempt['upstream'] }),
      batch,
      'again',
    ],
    ['a refusal behind what was written', later(refused('not_allowed'), true), batch, 'answer'],
    ['an unknown id behind a cancel', later(answered(404), true), cancel, 'answer'],
    ['an unknown id behind a read', later(answered(404), false), cancel, 'next'],
  ])('after %s', async (_, make, parts, verdict) => {
    expect(await does(inFallback(makeRetry(1)), [make], parts)).toBe(verdict);
  });
});
