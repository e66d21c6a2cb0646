import { describe, expect, it } from 'vitest';
import type { OAuthGrant } from '../../core/provider.ts';
import { garbageCollector } from '../../core/memory/garbage-collector.ts';
import { type Token, TokenError, TokenSource, TokenSources } from './token-source.ts';

const minute = 60_000;

/** A source with a fake clock; each fetch waits until the test resolves it. */
function createSource(random = 0) {
  /** `shift`: how far the wall clock is off from where it began. */
  const state = { now: 1_000_000, shift: 0, fetches: 0, forgotten: 0, faults: [] as Error[] };
  const pendingFetches: { resolve(token: Token): void; reject(error: Error): void }[] = [];
  const source = new TokenSource(
    {
      fetch: () => {
        state.fetches += 1;
        return new Promise((resolve, reject) => pendingFetches.push({ resolve, reject }));
      },
      clearCache: () => {
        state.forgotten += 1;
      },
    },
    { now: () => state.now + state.shift, monotonic: () => state.now, random: () => random, onFault: (error) => state.faults.push(error) },
  );
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
  /** Resolves the oldest pending fetch. */
  const resolveFetch = async (value: string, lifetimeMs = 60 * minute, renewalMs?: number): Promise<void> => {
    pendingFetches.shift()?.resolve({
      value,
      expiresAt: state.now + state.shift + lifetimeMs,
      ...(renewalMs === undefined ? {} : { renewAt: state.now + state.shift + renewalMs }),
    });
    await nextTurn();
  };
  return {
    state,
    source,
    resolveFetch,
    async rejectFetch(message: string) {
      pendingFetches.shift()?.reject(new TokenError(message));
      await nextTurn();
    },
    async fetchFirst(value: string, lifetimeMs?: number, renewalMs?: number) {
      const token = source.get();
      await resolveFetch(value, lifetimeMs, renewalMs);
      return token;
    },
  };
}

describe('TokenSource', () => {
  it('fetches once for all concurrent callers and returns the cached token afterwards', async () => {
    const { source, resolveFetch, state } = createSource();
    const allGets = Promise.all(Array.from({ length: 100 }, async () => source.get()));
    await resolveFetch('t1');
    expect(new Set(await allGets)).toEqual(new Set(['t1']));
    expect([source.get(), state.fetches]).toEqual(['t1', 1]);
  });

  it.each([
    ['five minutes before the token expires', 60 * minute, 0, 55 * minute],
    ['up to a minute earlier', 60 * minute, 1, 54 * minute],
    ['in the last quarter of a short lifetime', 4 * minute, 0.5, 3 * minute],
    ['at half of a long lifetime', 24 * 60 * minute, 0, 12 * 60 * minute],
    ['at half of a long lifetime, up to a minute earlier', 120 * minute, 1, 59 * minute],
    ['after half a year without an expiry time', Number.POSITIVE_INFINITY, 0, 183 * 24 * 60 * minute],
  ])('renews the token in the background %s', async (_, lifetimeMs, random, renewsAfterMs) => {
    const { source, resolveFetch, state, fetchFirst } = createSource(random);
    await fetchFirst('t1', lifetimeMs);
    state.now += renewsAfterMs - 1;
    expect([source.get(), state.fetches]).toEqual(['t1', 1]);
    state.now += 1;
    expect([source.get(), source.get(), state.fetches]).toEqual(['t1', 't1', 2]);
    await resolveFetch('t2');
    expect(source.get()).toBe('t2');
  });

  it.each([
    ['before the default time', 60 * minute, 20 * minute, 20 * minute],
    ['at the default time at the latest', 60 * minute, 59 * minute, 55 * minute],
    ['at the default time if that time has passed', 60 * minute, -1, 55 * minute],
  ])('renews the token at the time given by the issuer, %s', async (_, lifetimeMs, renewalMs, renewsAfterMs) => {
    const { source, state, fetchFirst } = createSource();
    await fetchFirst('t1', lifetimeMs, renewalMs);
    state.now += renewsAfterMs - 1;
    expect([source.get(), state.fetches]).toEqual(['t1', 1]);
    state.now += 1;
    expect([source.get(), state.fetches]).toEqual(['t1', 2]);
  });

  it('waits for a new token if the old one has expired', async () => {
    const { source, resolveFetch, state, fetchFirst } = createSource();
    await fetchFirst('t1', 60 * minute);
    state.now += 60 * minute - 10_000;
    const next = source.get();
    expect(next).toBeInstanceOf(Promise);
    await resolveFetch('t2');
    expect(await next).toBe('t2');
  });

  it('keeps the old token if the renewal fails, reports the error and retries after 30 s', async () => {
    const { source, resolveFetch, rejectFetch, state, fetchFirst } = createSource();
    await fetchFirst('t1');
    state.now += 56 * minute;
    expect(source.get()).toBe('t1');
    await rejectFetch('the endpoint is away');
    expect([source.get(), state.fetches]).toEqual(['t1', 2]);
    expect([state.faults.map(String), source.lastError?.message]).toEqual([['Error: the endpoint is away'], 'the endpoint is away']);
    state.now += 29_999;
    expect([source.get(), state.fetches]).toEqual(['t1', 2]);
    state.now += 1;
    expect([source.get(), state.fetches]).toEqual(['t1', 3]);
    await resolveFetch('t2');
    expect([source.get(), source.lastError]).toEqual(['t2', undefined]);
  });

  it('caches a failure for one second', async () => {
    const { source, rejectFetch, resolveFetch, state } = createSource();
    const getOrError = async (): Promise<string> => {
      try {
        return await source.get();
      } catch (error) {
        return String(error);
      }
    };
    const first = getOrError();
    await rejectFetch('the secret is wrong');
    expect(await first).toBe('Error: the secret is wrong');
    for (let n = 0; n < 50; n += 1) expect(await getOrError()).toBe('Error: the secret is wrong');
    state.now += 999;
    expect([await getOrError(), state.fetches]).toEqual(['Error: the secret is wrong', 1]);
    state.now += 1;
    const next = getOrError();
    expect(state.fetches).toBe(2);
    await resolveFetch('t1');
    expect([await next, await getOrError(), state.fetches]).toEqual(['t1', 't1', 2]);
  });

  it.each([-48 * 60 * minute, -minute, minute, 48 * 60 * minute])(
    'is not affected by a wall clock that changes by %d ms',
    async (shift) => {
      const { source, resolveFetch, state, fetchFirst } = createSource();
      await fetchFirst('t1');
      state.shift = shift;
      expect([source.get(), state.fetches]).toEqual(['t1', 1]);
      // The age of the token counts, whatever the wall clock shows.
      state.now += 60 * minute;
      const next = source.get();
      expect(state.fetches).toBe(2);
      await resolveFetch('t2');
      expect([await next, source.get(), state.fetches]).toEqual(['t2', 't2', 2]);
      // A rejected token is replaced, but not twice a minute.
      expect(source.evict('t2')).toBe(true);
      const replacedToken = source.get();
      await resolveFetch('t3');
      expect(await replacedToken).toBe('t3');
      state.shift -= 60 * minute;
      expect(source.evict('t3')).toBe(false);
      state.now += minute;
      expect(source.evict('t3')).toBe(true);
    },
  );

  it('retries after a failure was cached for one second, even if the wall clock was set back', async () => {
    const { source, rejectFetch, state } = createSource();
    const first = Promise.allSettled([source.get()]);
    await rejectFetch('away');
    expect(await first).toMatchObject([{ status: 'rejected', reason: { message: 'away' } }]);
    state.shift = -60 * minute;
    state.now += 1000;
    void Promise.resolve(source.get()).catch(() => undefined);
    expect(state.fetches).toBe(2);
  });

  it('pauses after a renewal that returned the same token', async () => {
    const { source, resolveFetch, state, fetchFirst } = createSource();
    await fetchFirst('t1');
    state.now += 56 * minute;
    void source.get();
    await resolveFetch('t1', 4 * minute - 1);
    state.now += 3.5 * minute;
    void source.get();
    await resolveFetch('t1', minute / 2);
    state.now += 25_000;
    const fetches = state.fetches;
    expect([source.get(), state.fetches]).toEqual(['t1', fetches]);
  });

  it('rejects all waiting callers if the fetch fails, and fetches again for later callers', async () => {
    const { source, resolveFetch, rejectFetch, state } = createSource();
    const bothGets = Promise.allSettled([source.get(), source.get()]);
    await rejectFetch('invalid_grant');
    for (const result of await bothGets) expect(result).toMatchObject({ status: 'rejected', reason: { message: 'invalid_grant' } });
    state.now += 1000;
    const next = source.get();
    await resolveFetch('t1');
    expect(await next).toBe('t1');
  });
});

describe('TokenSource.evict()', () => {
  it('replaces a rejected token once for all callers', async () => {
    const { source, resolveFetch, state, fetchFirst } = createSource();
    await fetchFirst('t1');
    expect([source.evict('t1'), source.evict('t1'), state.forgotten]).toEqual([true, true, 1]);
    const pendingGets = Promise.all([1, 2].map(async () => source.get()));
    await resolveFetch('t2');
    expect(await pendingGets).toEqual(['t2', 't2']);
    expect([source.evict('t1'), source.get(), state.fetches]).toEqual([true, 't2', 2]);
  });

  it('does not replace a token that is itself a recent replacement', async () => {
    const { source, resolveFetch, state, fetchFirst } = createSource();
    await fetchFirst('t1');
    source.evict('t1');
    void source.get();
    await resolveFetch('t2');
    expect([source.evict('t2'), source.get(), state.fetches]).toEqual([false, 't2', 2]);
    state.now += minute;
    expect(source.evict('t2')).toBe(true);
  });
});

describe('TokenSources', () => {
  const grant = (overrides: object = {}): OAuthGrant => ({
    kind: 'google-ambient',
    scopes: ['a'],
    credentialsFile: undefined,
    fileField: 'credentials_file',
    ...overrides,
  });
  const sources = () =>
    new TokenSources(() => ({ fetch: () => Promise.reject(new TokenError('no')) }), {
      now: () => 0,
      monotonic: () => 0,
      random: () => 0,
      onFault: () => undefined,
    });

  it('returns the same source for grants with the same content', () => {
    const allSources = sources();
    const first = allSources.for(grant(), 'operator');
    expect(allSources.for(JSON.parse(JSON.stringify(grant())) as OAuthGrant, 'operator')).toBe(first);
    expect(allSources.for(grant({ scopes: ['b'] }), 'operator')).not.toBe(first);
  });

  it("does not share a source between the operator's grant and a request's grant", () => {
    const allSources = sources();
    expect(allSources.for(grant(), 'request')).not.toBe(allSources.for(grant(), 'operator'));
  });

  it("evicts the least recently used source of a request's grant at its limit", () => {
    const allSources = sources();
    const ofOperator = allSources.for(grant(), 'operator');
    const first = allSources.for(grant(), 'request');
    const second = allSources.for(grant({ scopes: ['second'] }), 'request');
    for (let n = 0; n < 1022; n += 1) allSources.for(grant({ scopes: [`${n}`] }), 'request');
    expect(allSources.for(grant(), 'request')).toBe(first);
    allSources.for(grant({ scopes: ['one more'] }), 'request');
    expect(allSources.for(grant(), 'request')).toBe(first);
    expect(allSources.for(grant({ scopes: ['second'] }), 'request')).not.toBe(second);
    expect(allSources.for(grant(), 'operator')).toBe(ofOperator);
  });

  it("drops the source of an operator's grant that no credential uses", async () => {
    const allSources = sources();
    const used = allSources.for(grant({ scopes: ['used'] }), 'operator');
    const dropped = new WeakRef(allSources.for(grant(), 'operator'));
    await new Promise((resolve) => setImmediate(resolve));
    garbageCollector()({ type: 'major' });
    expect(dropped.deref()).toBeUndefined();
    expect(allSources.for(grant({ scopes: ['used'] }), 'operator')).toBe(used);
    expect(allSources.for(grant(), 'operator')).toBeInstanceOf(TokenSource);
  });
});
