import { describe, expect, it } from 'vitest';
import { GatewayError, type ProviderFault } from '#core/error.ts';
import type { Answered, Attempt, Outcome } from '#core/plan.ts';
import type { PluginInstance } from '#core/plugin.ts';
import type { CredentialOwner } from '#core/provider.ts';
import type { Leaf } from '#core/snapshot.ts';
import {
  makeAttempt,
  makeBranch,
  makeContext,
  makeHost,
  makeLeaf,
  makeRetry,
  noon,
  type RequestParts,
  setUp,
} from '../../test/support/stage-context.ts';
import fallbackRetry from './index.ts';

const circuit = {
  id: 'one',
  failures: 1,
  share: undefined,
  minimum: 5,
  cooldownMs: 30_000,
  fails: (status: number) => status >= 500,
};
const target = makeLeaf({ path: 'config.targets[0]', circuit, timeouts: { request: 5000 } });
const strict = makeLeaf({ path: 'config.targets[0]', circuit: { ...circuit, fails: (status) => status >= 400 } });
const withCredential = (credential: CredentialOwner): Attempt['call'] => ({ credential }) as Attempt['call'];
const stored: Attempt['interception'] = { status: 'HIT', answer: { status: 503, headers: {}, pieces: [] } };
const times = { at: 0, connectMs: 1, firstByteMs: 2, totalMs: 10 };

type OutcomeFactory = (attempt: Attempt) => Outcome;
const answered =
  (status: number): OutcomeFactory =>
  (attempt) => ({
    kind: 'answered',
    attempt,
    times,
    reply: { status, headers: {}, body: Buffer.from('{"error":{"message":"x"}}'), flow: undefined, tap: undefined },
  });
const timeout =
  (phase: 'connect' | 'request' | 'total'): OutcomeFactory =>
  (attempt) => ({ kind: 'timeout', attempt, times, phase, afterMs: 5, sent: true });
const faulty =
  (status: number, isError: boolean, extra: Partial<ProviderFault> = {}): OutcomeFactory =>
  (attempt) => ({
    kind: 'faulty',
    attempt,
    times,
    fault: new GatewayError('upstream_invalid', { message: 'x', status, ...(isError ? { provider: { message: 'x', ...extra } } : {}) }),
  });
const unreachable: OutcomeFactory = (attempt) => ({ kind: 'unreachable', attempt, times, cause: new Error('reset'), sent: false });
const refused: OutcomeFactory = (attempt) => ({
  kind: 'refused',
  attempt,
  times,
  error: new GatewayError('not_allowed', { message: 'x' }),
});
const cancelled: OutcomeFactory = (attempt) => ({ kind: 'cancelled', attempt, times });

/** Whether the target is left out after this attempt at it. */
async function isLeftOut(
  createOutcome: OutcomeFactory,
  { overrides = {}, parts = {} }: { overrides?: Partial<Attempt>; parts?: RequestParts } = {},
): Promise<boolean> {
  const plugin = await setUp(fallbackRetry);
  const leaf = overrides.target ?? target;
  plugin.judge?.(makeContext({ body: { model: 'm' }, ...parts }), createOutcome(makeAttempt(leaf as Leaf, overrides)), []);
  return plugin.skip?.(makeContext(), leaf as Leaf) !== undefined;
}

describe('an attempt counts as a failure of the target', () => {
  it.each<[string, boolean, OutcomeFactory, Parameters<typeof isLeftOut>[1]?]>([
    ['an error of the provider', true, answered(503)],
    ['a good response', false, answered(200)],
    ['an error caused by the request', false, answered(400)],
    ['a listed status for the operator account', true, answered(429), { overrides: { target: strict } }],
    [
      'a listed status for the account of the client',
      false,
      answered(429),
      { overrides: { target: strict, call: withCredential('caller') } },
    ],
    ['a forwarded key that is rejected', false, faulty(401, true), { overrides: { target: strict, call: withCredential('forwarded') } }],
    [
      'an outage seen with the account of the client',
      true,
      answered(503),
      { overrides: { target: strict, call: withCredential('caller') } },
    ],
    ['a timeout', true, timeout('total')],
    ['the request_timeout of the config', true, timeout('request')],
    [
      'a shorter request_timeout of the client',
      false,
      timeout('request'),
      { overrides: { timeouts: { connect: 1, firstByte: 1, idle: 1, total: 1, request: 1 } } },
    ],
    ['a failed connection', true, unreachable],
    ['an invalid response', true, faulty(502, false)],
    ['an error at the start of a stream', true, faulty(529, true)],
    ['an error caused by the request at the start of a stream', false, faulty(400, true)],
    ['an invalid tool call of the model', false, faulty(502, true, { isOfModel: true })],
    ['a request that the gateway rejects', false, refused],
    ['a client that disconnects', false, cancelled],
    ['a host of the request', false, unreachable, { overrides: { trust: 'request' } }],
    [
      'the host of an inline config',
      true,
      unreachable,
      { overrides: { trust: 'request', target: { ...target, root: 'inline', customHost: 'https://x.example' } } },
    ],
    [
      'another host in a header next to an inline config',
      false,
      unreachable,
      {
        overrides: { trust: 'request', target: { ...target, root: 'inline', customHost: 'https://x.example' } },
        parts: { headers: { 'x-gateway-custom-host': 'https://y.example' } },
      },
    ],
    ['a stored response of a cache', false, answered(503), { overrides: { interception: stored } }],
    ['a dry run', false, unreachable, { parts: { overrides: { mode: 'dry' } } }],
  ])('for %s: %s', async (_name, counts, createOutcome, extra) => {
    expect(await isLeftOut(createOutcome, extra)).toBe(counts);
  });
});

describe('a streaming response', () => {
  const flow = {
    kept: { pieces: [], size: 0, contentType: '', times: [] },
    into: () => {},
    pause: () => {},
    resume: () => {},
    abort: () => {},
  };
  const streaming = (attempt: Attempt, extra: object = {}): Answered => {
    const reply = { status: 200, headers: {}, body: Buffer.alloc(0), flow: { ...flow, ...extra }, tap: undefined };
    return { kind: 'answered', attempt, times, reply };
  };
  const broken = new GatewayError('stream_interrupted', { message: 'x', source: 'provider' });
  const providerError = (status: number, extra: Partial<ProviderFault> = {}): GatewayError =>
    new GatewayError('provider_error', { message: 'x', source: 'provider', status, provider: { message: 'x', ...extra } });

  it.each<[string, boolean, GatewayError | undefined, { overrides?: Partial<Attempt>; socket?: object }?]>([
    ['without errors', false, undefined],
    ['that is interrupted', true, broken],
    ['with an error of the provider', true, providerError(529)],
    ['with an error caused by the request', false, providerError(400)],
    ['with an invalid tool call of the model', false, providerError(502, { isOfModel: true })],
    ['that the client does not read', false, new GatewayError('idle_timeout', { message: 'x' })],
    ['from a host of the request', false, broken, { overrides: { trust: 'request' } }],
    ['of a WebSocket', false, broken, { socket: {} }],
  ])('%s counts as a failure: %s', async (_name, counts, fault, { overrides = {}, socket } = {}) => {
    const plugin = await setUp(fallbackRetry);
    const ctx = makeContext({ body: { model: 'm' } });
    const outcome = streaming(makeAttempt(target, overrides), { socket });
    plugin.judge?.(ctx, outcome, []);
    expect(plugin.skip?.(makeContext(), target)).toBeUndefined();
    plugin.finish?.(ctx, outcome, fault);
    expect(plugin.skip?.(makeContext(), target) !== undefined).toBe(counts);
  });

  it('resets the failure count only if it completes', async () => {
    const leaf = makeLeaf({ circuit: { ...circuit, failures: 2 } });
    const opensAfter = async (fault: GatewayError | undefined): Promise<boolean> => {
      const plugin = await setUp(fallbackRetry);
      const ctx = makeContext({ body: { model: 'm' } });
      plugin.judge?.(ctx, answered(503)(makeAttempt(leaf)), []);
      plugin.judge?.(ctx, streaming(makeAttempt(leaf)), []);
      plugin.finish?.(ctx, streaming(makeAttempt(leaf)), fault);
      plugin.judge?.(ctx, answered(503)(makeAttempt(leaf)), []);
      return plugin.skip?.(makeContext(), leaf) !== undefined;
    };
    expect([await opensAfter(undefined), await opensAfter(providerError(400)), await opensAfter(broken)]).toEqual([false, false, true]);
  });

  it('closes an open circuit when it starts', async () => {
    const clock = { now: noon };
    const plugin = await setUp(fallbackRetry, {}, makeHost({ now: () => clock.now }));
    plugin.judge?.(makeContext({ body: { model: 'm' } }), answered(503)(makeAttempt(target)), []);
    clock.now += 30_000;
    const ctx = makeContext({ body: { model: 'm' }, overrides: { at: clock.now } });
    plugin.skip?.(ctx, target);
    plugin.judge?.(ctx, streaming(makeAttempt(target)), []);
    expect(plugin.skip?.(makeContext(), target)).toBeUndefined();
  });
});

describe('the attempt that opens a circuit', () => {
  const retry = makeRetry(2);
  it.each([
    [
      'is followed by the next target instead of a retry',
      makeBranch('fallback', [makeLeaf({ circuit, retry }), makeLeaf()]).targets[0],
      true,
    ],
    ['is retried if there is no next target', makeLeaf({ circuit, retry }), false],
    ['is retried if it does not open the circuit', makeBranch('fallback', [makeLeaf({ retry }), makeLeaf()]).targets[0], false],
  ])('%s', async (_name, leaf, leaves) => {
    const plugin = await setUp(fallbackRetry);
    const verdict = plugin.judge?.(makeContext({ body: { model: 'm' } }), answered(503)(makeAttempt(leaf as Leaf)), []);
    const next = 'status 503, so the next target is tried instead of this one, which is skipped from now on';
    expect(verdict).toMatchObject({ do: 'again', because: 'status 503', ...(leaves ? { orNext: next } : {}) });
    expect(verdict !== undefined && 'orNext' in verdict).toBe(leaves);
  });
});

describe('a target with an open circuit', () => {
  const opened = async (logged: object[] = []): Promise<{ plugin: PluginInstance; clock: { now: number } }> => {
    const clock = { now: noon };
    const log = { warn: (fields: object, message: string) => void logged.push({ ...fields, message }), debug: () => {}, request: () => {} };
    const plugin = await setUp(fallbackRetry, {}, makeHost({ now: () => clock.now, log }));
    plugin.judge?.(makeContext({ body: { model: 'm' } }), answered(503)(makeAttempt(target)), []);
    return { plugin, clock };
  };

  it('is used if there is no other target, with the time until the next attempt in the reason', async () => {
    const { plugin, clock } = await opened();
    clock.now += 18_500;
    expect(plugin.skip?.(makeContext(), target)).toEqual({ because: 'circuit open, next attempt in 12 s', unlessAll: true });
  });

  it('gets one trial request after the cool-down, and a dry run does not count as one', async () => {
    const { plugin, clock } = await opened();
    clock.now += 30_000;
    const dryRun = makeContext({ overrides: { mode: 'dry' } });
    expect([plugin.skip?.(dryRun, target), plugin.skip?.(makeContext(), target)]).toEqual([undefined, undefined]);
    expect(plugin.skip?.(makeContext(), target)).toBeDefined();
  });

  it('is used for an existing object', async () => {
    const { plugin } = await opened();
    expect(plugin.skip?.(makeContext({ overrides: { endpoint: 'batches/{id}', method: 'GET' } }), target)).toBeUndefined();
  });

  it('is logged with its path when the circuit opens and when it closes', async () => {
    const logged: object[] = [];
    const { plugin, clock } = await opened(logged);
    clock.now += 1;
    plugin.judge?.(makeContext({ overrides: { at: clock.now } }), answered(503)(makeAttempt(target)), []);
    clock.now += 1;
    plugin.judge?.(makeContext({ overrides: { at: clock.now } }), answered(200)(makeAttempt(target)), []);
    const location = { target: 'configs.test.targets[0]', provider: 'main' };
    expect(logged).toEqual([
      { ...location, cooldown_ms: 30_000, message: 'circuit opened: the target failed too often and is skipped' },
      { ...location, message: 'circuit closed: the target is used again' },
    ]);
  });
});
