import { describe, expect, it } from 'vitest';
import { makeContext, makeKey, makeSnapshot } from '../../../test/support/stage-context.ts';
import type { BodyPolicy } from '../../core/records/record.ts';
import { maxRecordedBytes, isLogHeaderApplied, policyOf, sampled } from './policy.ts';
import type { RequestContext } from '../request.ts';

const { log } = makeSnapshot();

interface PolicySettings {
  readonly gateway: BodyPolicy;
  readonly config?: BodyPolicy;
  /** A config sent with the request. */
  readonly sent?: BodyPolicy;
  readonly key?: BodyPolicy;
  readonly headers?: Record<string, string>;
  readonly clientMayLower?: boolean;
}

function requestWith({ gateway, config, sent, key, headers = {}, clientMayLower = true }: PolicySettings): RequestContext {
  const ctx = makeContext({ snapshot: { ...makeSnapshot(), log: { ...log, bodies: gateway, clientMayLower } }, headers }) as RequestContext;
  const noConfig = ctx.snapshot.noConfig;
  const chosen = config ?? sent;
  if (chosen !== undefined) ctx.facts.config = { ...noConfig, name: config === undefined ? 'inline' : 'support', log: { bodies: chosen } };
  if (key !== undefined) ctx.facts.caller = { ...ctx.facts.caller, key: makeKey('app', { log: { bodies: key } }) };
  return ctx;
}

describe('log policy', () => {
  it.each([
    [false, 0],
    [true, 7],
  ] as const)('a policy that stores bodies (%s) keeps at most %i bytes of a response', (keepsBodies, bytes) => {
    expect(maxRecordedBytes({ ...log, keepsBodies, maxBody: 7 })).toBe(bytes);
  });

  it.each<[PolicySettings, BodyPolicy, string]>([
    [{ gateway: 'none' }, 'none', 'logging.requests.bodies'],
    [{ gateway: 'full' }, 'full', 'logging.requests.bodies'],
    [{ gateway: 'redacted' }, 'redacted', 'logging.requests.bodies'],
    [{ gateway: 'redacted', config: 'metadata' }, 'metadata', 'configs.support.log.bodies'],
    [{ gateway: 'metadata', config: 'full' }, 'full', 'configs.support.log.bodies'],
    [{ gateway: 'metadata', key: 'redacted' }, 'redacted', 'api_keys.app.log.bodies'],
    [{ gateway: 'metadata', config: 'full', key: 'redacted' }, 'redacted', 'api_keys.app.log.bodies'],
    [{ gateway: 'full', config: 'none', key: 'full' }, 'none', 'configs.support.log.bodies'],
    [{ gateway: 'metadata', sent: 'full' }, 'metadata', 'logging.requests.bodies'],
    [{ gateway: 'full', sent: 'none' }, 'none', 'the config that the caller sent'],
    [{ gateway: 'full', sent: 'none', clientMayLower: false }, 'full', 'logging.requests.bodies'],
    [{ gateway: 'none', sent: 'full', key: 'metadata' }, 'metadata', 'api_keys.app.log.bodies'],
  ])('policyOf() for %j returns %s', (settings, bodies, because) => {
    expect(policyOf(requestWith(settings))).toEqual({ bodies, because });
  });

  it.each<[BodyPolicy, Record<string, string>, BodyPolicy]>([
    ['none', { 'x-gateway-debug': 'false' }, 'none'],
    ['metadata', { 'x-gateway-debug': 'false' }, 'metadata'],
    ['redacted', { 'x-gateway-debug': 'false' }, 'metadata'],
    ['full', { 'x-gateway-debug': 'false' }, 'metadata'],
    ['full', { 'x-gateway-debug': 'true' }, 'full'],
    ['full', { 'x-gateway-debug': 'neither' }, 'full'],
    ['full', { 'x-gateway-log': 'redacted' }, 'redacted'],
    ['full', { 'x-portkey-log': ' Metadata ' }, 'metadata'],
    ['full', { 'x-gateway-log': 'none', 'x-gateway-debug': 'false' }, 'none'],
    ['metadata', { 'x-gateway-log': 'full' }, 'metadata'],
    ['metadata', { 'x-gateway-log': 'redacted' }, 'metadata'],
    ['redacted', { 'x-gateway-log': 'whatever' }, 'redacted'],
  ])('policyOf() with gateway policy %s and headers %j returns %s', (gateway, headers, policy) => {
    expect(policyOf(requestWith({ gateway, headers })).bodies).toBe(policy);
  });

  it.each<[BodyPolicy, PolicySettings, BodyPolicy, string]>([
    ['none', { gateway: 'full', config: 'full', key: 'full' }, 'none', 'logging.requests'],
    ['metadata', { gateway: 'redacted', config: 'full' }, 'metadata', 'logging.requests'],
    ['metadata', { gateway: 'redacted', config: 'none' }, 'none', 'configs.support.log.bodies'],
  ])('policyOf() stores no more than the readers of records need (%s): %j', (readerNeeds, settings, bodies, because) => {
    const ctx = requestWith(settings);
    const snapshot = { ...ctx.snapshot, log: { ...ctx.snapshot.log, read: readerNeeds } };
    expect(policyOf(Object.assign(ctx, { snapshot }))).toEqual({ bodies, because });
  });

  it('policyOf() ignores the header if clients may not lower the policy', () => {
    const ctx = requestWith({ gateway: 'full', headers: { 'x-gateway-log': 'none' }, clientMayLower: false });
    expect([policyOf(ctx).bodies, isLogHeaderApplied(ctx)]).toEqual(['full', false]);
  });
});

describe('sampled()', () => {
  const requestWithShare = (success: number, errors: number, random: number): RequestContext =>
    Object.assign(requestWith({ gateway: 'redacted' }), {
      random,
      snapshot: { ...makeSnapshot(), log: { ...log, sample: { success, errors } } },
    });
  const redacted = { bodies: 'redacted', because: '' } as const;
  const ended = (status: number, hasError = false): Parameters<typeof sampled>[2] => ({
    status,
    error: hasError ? { code: 'timeout', source: 'provider', message: '' } : null,
  });

  it.each([
    [1, 1, 200, false, 'redacted'],
    [0, 1, 200, false, 'metadata'],
    [0, 1, 500, false, 'redacted'],
    [0, 1, 404, false, 'redacted'],
    [0, 1, 200, true, 'redacted'],
    [1, 0, 500, false, 'metadata'],
  ] as const)(
    'with success %d and errors %d, a response with status %i (fault: %s) is stored as %s',
    (success, errors, status, hasError, bodies) => {
      expect(sampled(requestWithShare(success, errors, 0.7), redacted, ended(status, hasError)).bodies).toBe(bodies);
    },
  );

  it('names the setting that removed the bodies, and keeps a lower policy', () => {
    expect(sampled(requestWithShare(0, 1, 0.7), redacted, ended(200)).because).toBe('logging.requests.sample.success');
    expect(sampled(requestWithShare(0, 0, 0.7), { bodies: 'none', because: 'x' }, ended(200))).toEqual({ bodies: 'none', because: 'x' });
  });

  it('samples independently of the random choice of a target', () => {
    const count = (from: number): number =>
      Array.from({ length: 1000 }, (_, i) => sampled(requestWithShare(0.1, 1, from + i / 10_007), redacted, ended(200)).bodies).filter(
        (bodies) => bodies === 'redacted',
      ).length;
    for (const from of [0, 0.5, 0.9]) {
      expect(count(from)).toBeGreaterThan(50);
      expect(count(from)).toBeLessThan(200);
    }
  });
});
