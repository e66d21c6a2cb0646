import { describe, expect, it } from 'vitest';
import type { Routed } from '#core/context.ts';
import { GatewayError, type ProviderFault } from '#core/error.ts';
import type { Attempt, Outcome, UpstreamReply, Verdict } from '#core/plan.ts';
import type { Leaf } from '#core/snapshot.ts';
import { makeAttempt, makeBranch, makeContext, makeLeaf, makeRetry, type RequestParts, setUp } from '../../test/support/stage-context.ts';
import fallbackRetry from './index.ts';

const times = { at: 0, connectMs: 1, firstByteMs: 2, totalMs: 10 };
const notSent = { at: 0, connectMs: undefined, firstByteMs: undefined, totalMs: 0 };
const error = (message: string, extra = {}) => Buffer.from(JSON.stringify({ error: { message, ...extra } }));

type OutcomeFactory = (attempt: Attempt) => Outcome;
const answered =
  (status: number, reply: Partial<UpstreamReply> = {}): OutcomeFactory =>
  (attempt) => ({
    kind: 'answered',
    attempt,
    times,
    reply: { status, headers: {}, body: error('busy'), flow: undefined, tap: undefined, ...reply },
  });
const unreachable =
  (sent: boolean, code = 'ECONNRESET'): OutcomeFactory =>
  (attempt) => ({ kind: 'unreachable', attempt, times, cause: Object.assign(new Error('reset'), { code }), sent });
const timeout =
  (phase: 'connect' | 'first-byte' | 'request' | 'total', sent: boolean): OutcomeFactory =>
  (attempt) => ({ kind: 'timeout', attempt, times, phase, afterMs: 5, sent });
const faulty: OutcomeFactory = (attempt) => ({
  kind: 'faulty',
  attempt,
  times,
  fault: new GatewayError('upstream_invalid', { message: 'html' }),
});
/** An error object as the first event of a stream. */
const overloaded =
  (fault: Partial<ProviderFault>, status = 529): OutcomeFactory =>
  (attempt) => ({
    kind: 'faulty',
    attempt,
    times,
    fault: new GatewayError('provider_error', { message: 'x', status, provider: { message: 'x', ...fault } }),
  });
const redirected: OutcomeFactory = (attempt) => ({
  kind: 'faulty',
  attempt,
  times,
  fault: new GatewayError('upstream_invalid', { message: 'redirect', retry: false }),
});
const refused =
  (code: 'unsupported_endpoint' | 'not_allowed' | 'invalid_header' | 'overloaded'): OutcomeFactory =>
  (attempt) => ({ kind: 'refused', attempt, times: notSent, error: new GatewayError(code, { message: 'no' }) });
/** By a plugin that checked the response, or for lack of memory for the response. */
const rejectedResponse: OutcomeFactory = (attempt) => ({ ...refused('overloaded')(attempt), times });
const cancelled: OutcomeFactory = (attempt) => ({ kind: 'cancelled', attempt, times });

const singleTarget = (retry = makeRetry()): Leaf => makeLeaf({ retry });
const inFallback = (retry = makeRetry(), codes?: readonly number[]): Leaf => {
  const branch = makeBranch(
    'fallback',
    [singleTarget(retry), singleTarget(retry)],
    codes && { fallsBackOn: (status) => codes.includes(status) },
  );
  return branch.targets[0] as Leaf;
};

const inLoadbalance = (): Leaf => makeBranch('loadbalance', [singleTarget(), singleTarget()]).targets[0] as Leaf;

/** Judges the last of these outcomes; all are attempts at one target. */
async function judge(target: Leaf, outcomeFactories: readonly OutcomeFactory[], parts: RequestParts = {}): Promise<Verdict | undefined> {
  const plugin = await setUp(fallbackRetry);
  const ctx: Routed = makeContext({ body: { model: 'm' }, ...parts });
  const outcomes = outcomeFactories.map((createOutcome, i) => createOutcome(makeAttempt(target, { index: i, tries: i })));
  return plugin.judge?.(ctx, outcomes.at(-1) as Outcome, outcomes.slice(0, -1));
}

const actionFor = async (...args: Parameters<typeof judge>): Promise<string | undefined> => (await judge(...args))?.do;

describe('without retries and without a fallback', () => {
  it.each([
    ['a successful response', answered(200)],
    ['an error response', answered(500)],
    ['an error for an unreachable provider', unreachable(false)],
    ['a timeout error', timeout('request', true)],
    ['an error for a rejected request', refused('not_allowed')],
  ])('the gateway returns %s', async (_, createOutcome) => {
    expect(await actionFor(singleTarget(), [createOutcome])).toBe('answer');
  });
});

describe('the retry decision', () => {
  it.each([
    ['a listed status', answered(429), 'again'],
    ['a status that is not listed', answered(400), 'answer'],
    ['a successful response', answered(200), 'answer'],
    ['an unreachable provider', unreachable(false), 'again'],
    ['a connection reset after the body of a model call was sent', unreachable(true), 'again'],
    ['an invalid certificate', unreachable(false, 'CERT_HAS_EXPIRED'), 'answer'],
    ['a redirect', redirected, 'answer'],
    ['a timeout', timeout('first-byte', true), 'again'],
    ['a total timeout', timeout('total', true), 'answer'],
    ['an invalid response', faulty, 'again'],
    ['an endpoint that the provider does not support', refused('unsupported_endpoint'), 'answer'],
    ['a request that the gateway rejects', refused('not_allowed'), 'answer'],
    ['an exhausted quota', answered(429, { body: error('pay', { isPermanent: true }) }), 'answer'],
    ['an overload error at the start of a stream', overloaded({}), 'again'],
    ['an exhausted quota at the start of a stream', overloaded({ isPermanent: true }), 'answer'],
    ['a request error at the start of a stream', overloaded({}, 400), 'answer'],
    ['a disconnected client', cancelled, 'answer'],
  ])('after %s is $2', async (_, createOutcome, verdict) => {
    expect(await actionFor(singleTarget(makeRetry(2)), [createOutcome])).toBe(verdict);
  });

  it('uses the status codes of the target', async () => {
    const retry = makeRetry(1, [418]);
    expect([await actionFor(singleTarget(retry), [answered(418)]), await actionFor(singleTarget(retry), [answered(429)])]).toEqual([
      'again',
      'answer',
    ]);
  });

  it('respects the maximum number of retries', async () => {
    const fail = answered(503);
    const target = singleTarget(makeRetry(2));
    expect([await actionFor(target, [fail]), await actionFor(target, [fail, fail]), await actionFor(target, [fail, fail, fail])]).toEqual([
      'again',
      'again',
      'answer',
    ]);
  });

  it('is never a retry for a stream in progress', async () => {
    const flow = {
      kept: { pieces: [], size: 0, contentType: '', times: [] },
      into: () => undefined,
      pause: () => undefined,
      resume: () => undefined,
      abort: () => undefined,
    };
    expect(await actionFor(inFallback(makeRetry(2, [200]), [200]), [answered(200, { flow })])).toBe('answer');
  });

  it('contains a reason', async () => {
    expect(await judge(singleTarget(makeRetry(1)), [answered(503)])).toMatchObject({ because: 'status 503' });
    expect(await judge(singleTarget(makeRetry(1)), [timeout('connect', false)])).toMatchObject({ because: 'timeout (connect)' });
  });
});

describe('the backoff before a retry', () => {
  const pause = async (outcomeFactories: readonly OutcomeFactory[], random: number): Promise<number> => {
    const verdict = await judge(singleTarget(makeRetry(5)), outcomeFactories, { overrides: { random } });
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
  ])('after attempt %i is a random time up to %i ms', async (tries, maxMs) => {
    const pauses = await Promise.all(Array.from({ length: 40 }, (_, i) => pause(Array<OutcomeFactory>(tries).fill(fail), i / 40)));
    for (const ms of pauses) expect(ms).toBeLessThanOrEqual(maxMs);
    expect(Math.max(...pauses)).toBeGreaterThan(maxMs * 0.9);
    expect(Math.min(...pauses)).toBeLessThan(maxMs * 0.1);
  });

  it('depends only on the attempts and the random value', async () => {
    expect(await pause([fail, fail], 0.3)).toBe(await pause([fail, fail], 0.3));
    expect(await pause([fail], 0.3)).not.toBe(await pause([fail], 0.4));
  });

  const targetWithRetryAfter = singleTarget(makeRetry(5, [429], true));
  const withRetryAfter = (seconds: string): OutcomeFactory => answered(429, { headers: { 'retry-after': seconds } });

  it('is what the provider requests if the policy allows it', async () => {
    expect(await judge(targetWithRetryAfter, [withRetryAfter('7')])).toMatchObject({ do: 'again', afterMs: 7000 });
    expect(await judge(targetWithRetryAfter, [answered(429, { headers: { 'retry-after-ms': '70' } })])).toMatchObject({ afterMs: 70 });
    expect(await judge(targetWithRetryAfter, [withRetryAfter('Sat, 21 Nov 2026 12:00:09 GMT')])).toMatchObject({ afterMs: 9000 });
    expect(await judge(targetWithRetryAfter, [answered(429, { body: error('busy', { retryAfterMs: 5000 }) })])).toMatchObject({
      afterMs: 5000,
    });
  });

  it('is what an error at the start of a stream requests', async () => {
    expect(await judge(targetWithRetryAfter, [overloaded({ retryAfterMs: 5000 })])).toMatchObject({ do: 'again', afterMs: 5000 });
  });

  it('ignores the retry-after header if the policy does not allow it', async () => {
    expect(await judge(singleTarget(makeRetry(5)), [withRetryAfter('7')], { overrides: { random: 0.5 } })).toMatchObject({
      do: 'again',
      afterMs: 500,
    });
  });

  it.each([
    ['one delay is too long', [withRetryAfter('61')]],
    ['a date is too far away', [withRetryAfter('Sat, 21 Nov 2026 12:02:00 GMT')]],
    ['the sum of the delays is too long', [withRetryAfter('40'), withRetryAfter('21')]],
  ])('ends the retries: %s', async (_, outcomeFactories) => {
    expect(await judge(targetWithRetryAfter, outcomeFactories)).toMatchObject({
      do: 'answer',
      because: expect.stringMatching(/too long/) as string,
    });
  });

  it('may be sixty seconds in total', async () => {
    expect(await actionFor(targetWithRetryAfter, [withRetryAfter('40'), withRetryAfter('20')])).toBe('again');
  });

  it.each([
    ['a long retry-after in a fallback', inFallback(makeRetry(5, [429], true)), '2', true],
    ['a short retry-after in a fallback', inFallback(makeRetry(5, [429], true)), '1', false],
    ['a retry-after that the policy ignores', inFallback(makeRetry(5, [429])), '2', false],
    ['a retry-after with a status outside on_status_codes', inFallback(makeRetry(5, [429], true), [500]), '2', false],
    ['a retry-after without a fallback', targetWithRetryAfter, '2', false],
  ])('is replaced by the next target only for a long retry-after in a fallback: %s', async (_, target, seconds, isReplaced) => {
    const verdict = await judge(target, [withRetryAfter(seconds)]);
    expect(verdict).toMatchObject({ do: 'again' });
    expect(verdict !== undefined && 'orNext' in verdict).toBe(isReplaced);
  });

  it('moves on to the next target if it is too long', async () => {
    expect(await judge(inFallback(makeRetry(5, [429], true)), [withRetryAfter('61')])).toMatchObject({
      do: 'next',
      because: expect.stringMatching(/too long/) as string,
    });
  });
});

describe('the fallback decision', () => {
  it.each([
    ['an error response', answered(400), undefined, 'next'],
    ['a successful response', answered(200), undefined, 'answer'],
    ['a listed status', answered(429), [429], 'next'],
    ['a status that is not listed', answered(500), [429], 'answer'],
    ['a listed success status', answered(246), [246], 'next'],
    ['an unreachable provider, regardless of the list,', unreachable(true), [429], 'next'],
    ['an invalid certificate, regardless of the list,', unreachable(false, 'CERT_HAS_EXPIRED'), [429], 'next'],
    ['an error at the start of a stream, regardless of the list,', overloaded({}, 400), [429], 'next'],
    ['a timeout, regardless of the list,', timeout('total', true), [429], 'next'],
    ['an invalid response, regardless of the list,', faulty, [429], 'next'],
    ['an unsupported endpoint, regardless of the list,', refused('unsupported_endpoint'), [429], 'next'],
    ['a rejected request whose status is not listed', refused('not_allowed'), [429], 'answer'],
    ['an error caused by the client', refused('invalid_header'), undefined, 'answer'],
    ['a disconnected client', cancelled, undefined, 'answer'],
  ])('after %s is $3', async (_, createOutcome, codes, verdict) => {
    expect(await actionFor(inFallback(makeRetry(), codes), [createOutcome])).toBe(verdict);
  });

  it('comes after the retries', async () => {
    const target = inFallback(makeRetry(1));
    expect([await actionFor(target, [answered(503)]), await actionFor(target, [answered(503), answered(503)])]).toEqual(['again', 'next']);
  });

  it('of an outer fallback applies to a group of targets too', async () => {
    const outer = makeBranch('fallback', []);
    const inner = makeBranch('loadbalance', [singleTarget()], { parent: outer, fallsBackOn: () => false });
    expect(await actionFor(inner.targets[0] as Leaf, [answered(503)])).toBe('next');
  });

  const elsewhere = answered(400, { body: error('no such response', { isOfOtherAccount: true }) });
  it.each<[string, () => Leaf, RequestParts, string]>([
    ['of a load balancer', () => inLoadbalance(), {}, 'next'],
    ['of a load balancer, although the request creates an object', () => inLoadbalance(), { body: { model: 'm', store: true } }, 'next'],
    ['of a fallback, regardless of the list', () => inFallback(makeRetry(), [429]), {}, 'next'],
    ['that does not exist', () => singleTarget(), {}, 'answer'],
  ])('is another target %s, if another account has what the request refers to', async (_, target, parts, verdict) => {
    const overrides = { endpoint: 'responses', path: '/v1/responses' } as const;
    expect(await actionFor(target(), [elsewhere], { ...parts, overrides })).toBe(verdict);
  });

  it('does not exist for a load balancer', async () => {
    expect(await actionFor(inLoadbalance(), [answered(503)])).toBe('answer');
  });
});

describe('the decision for routes that create an object', () => {
  const createRequest: RequestParts = {
    body: { model: 'm', background: true },
    overrides: { endpoint: 'responses', path: '/v1/responses' },
  };
  it.each([
    ['a rate limit', answered(429), 'again'],
    ['an unreachable provider', unreachable(false), 'again'],
    ['a connection reset after the body was sent', unreachable(true), 'answer'],
    ['a timeout', timeout('request', true), 'answer'],
    ['a server error', answered(500), 'answer'],
    ['an invalid response', faulty, 'answer'],
    ['a rejection before the request was sent', refused('overloaded'), 'again'],
    ['a rejection of the response', rejectedResponse, 'answer'],
  ])('after %s is $2', async (_, createOutcome, verdict) => {
    expect(await actionFor(inFallback(makeRetry(1)), [createOutcome], createRequest)).toBe(verdict);
  });

  it('is the next target if the provider does not support the route', async () => {
    expect(await actionFor(inFallback(), [refused('unsupported_endpoint')], createRequest)).toBe('next');
  });
});

describe('the decision for routes with the id of an object', () => {
  const objectRequest = (method: string): RequestParts => ({
    body: '{}',
    overrides: { endpoint: 'responses/{id}', path: '/v1/responses/r', method },
  });
  it.each([
    ['an unknown id', answered(404), 'GET', 'next'],
    ['an unreachable provider', unreachable(false), 'GET', 'next'],
    ['a server error', answered(500), 'GET', 'answer'],
    ['a connection reset during a read', unreachable(true), 'GET', 'answer'],
    ['a connection reset during a cancellation', unreachable(true), 'POST', 'answer'],
  ])('after %s is $3', async (_, createOutcome, method, verdict) => {
    expect(await actionFor(inFallback(makeRetry(0)), [createOutcome], objectRequest(method))).toBe(verdict);
  });

  it.each([
    ['a connection reset', unreachable(true)],
    ['a rejection of the response', rejectedResponse],
  ])('is a retry for GET but not for POST after %s', async (_, createOutcome) => {
    const target = singleTarget(makeRetry(1));
    expect([
      await actionFor(target, [createOutcome], objectRequest('GET')),
      await actionFor(target, [createOutcome], objectRequest('POST')),
    ]).toEqual(['again', 'answer']);
  });
});

describe('the decision for calls with several upstream requests', () => {
  const batch: RequestParts = { body: '{}', overrides: { endpoint: 'batches', path: '/v1/batches', method: 'POST' } };
  const cancel: RequestParts = { body: '{}', overrides: { endpoint: 'batches/{id}/cancel', path: '/v1/batches/b/cancel', method: 'POST' } };
  const inLaterRequest =
    (createOutcome: OutcomeFactory, hasWritten: boolean): OutcomeFactory =>
    (attempt) =>
      createOutcome({ ...attempt, isFollowUp: true, hasWritten });

  it.each([
    ['a rate limit that follows a read', inLaterRequest(answered(429), false), batch, 'again'],
    ['a rate limit that follows a write', inLaterRequest(answered(429), true), batch, 'answer'],
    ['an unreachable provider that follows a write', inLaterRequest(unreachable(false), true), batch, 'answer'],
    [
      'a rejected response to a read',
      (attempt) => rejectedResponse({ ...attempt, upstream: { method: 'GET' } as Attempt['upstream'] }),
      batch,
      'again',
    ],
    ['a rejection that follows a write', inLaterRequest(refused('not_allowed'), true), batch, 'answer'],
    ['an unknown id that follows a cancellation', inLaterRequest(answered(404), true), cancel, 'answer'],
    ['an unknown id that follows a read', inLaterRequest(answered(404), false), cancel, 'next'],
  ])('after %s is $3', async (_, createOutcome, parts, verdict) => {
    expect(await actionFor(inFallback(makeRetry(1)), [createOutcome], parts)).toBe(verdict);
  });
});
