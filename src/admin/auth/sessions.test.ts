import { beforeEach, describe, expect, it } from 'vitest';
import { Sessions } from './sessions.ts';
import { SignInThrottle } from './sign-in-throttle.ts';
import { linkUser, type User } from './users.ts';

const hour = 3_600_000;
const user: User = { name: 'ann', role: 'viewer', proof: 'p' };

let now: number;
let idleMs: number;
let sessions: Sessions;

beforeEach(() => {
  now = 1000;
  idleMs = 12 * hour;
  sessions = new Sessions(
    () => now,
    () => idleMs,
  );
});

describe('Sessions', () => {
  it('keeps a session while it is used, and ends it after the idle time', () => {
    const id = sessions.begin(user);
    for (let n = 0; n < 5; n += 1) {
      now += idleMs;
      expect(sessions.find(id)).toBe(user);
    }
    now += idleMs + 1;
    expect(sessions.find(id)).toBeUndefined();
    now -= idleMs;
    expect(sessions.find(id)).toBeUndefined();
  });

  it('ends a session after thirty days, even if it is used', () => {
    const id = sessions.begin(user);
    for (let n = 0; n < 60; n += 1) {
      now += 12 * hour;
      expect(sessions.find(id)).toBe(user);
    }
    now += 1;
    expect(sessions.find(id)).toBeUndefined();
  });

  it('applies a changed idle time to existing sessions', () => {
    const id = sessions.begin(user);
    now += 2 * hour;
    idleMs = hour;
    expect(sessions.find(id)).toBeUndefined();
  });

  it('ends only the session passed to end()', () => {
    const [first, second] = [sessions.begin(user), sessions.begin(linkUser)];
    expect(first).not.toBe(second);
    sessions.end(first);
    expect([sessions.find(first), sessions.find(second), sessions.find('')]).toEqual([undefined, linkUser, undefined]);
  });

  it('evicts the session that was idle longest at the limit', () => {
    const ids = Array.from({ length: 256 }, () => sessions.begin(user));
    expect(sessions.find(ids[0] ?? '')).toBe(user);
    const newest = sessions.begin(user);
    const ended = ids.filter((id) => sessions.find(id) === undefined);
    expect([ended, sessions.find(newest)]).toEqual([[ids[1]], user]);
  });
});

describe('sign-in link', () => {
  it.each([
    [0, true],
    [hour, true],
    [hour + 1, false],
  ])('that is %i ms old works once: %s', (age, isValid) => {
    const link = sessions.createLink(user);
    now += age;
    const used = ['other', link, link].map((token) => sessions.useLink(token));
    expect(used).toEqual([undefined, isValid ? user : undefined, undefined]);
  });

  it('is evicted if it is the oldest at the limit', () => {
    const links = Array.from({ length: 17 }, () => sessions.createLink(linkUser));
    expect(links.map((link) => sessions.useLink(link) !== undefined)).toEqual(links.map((_, n) => n > 0));
  });
});

describe('Throttle', () => {
  const fail = (throttle: SignInThrottle, address: string, times: number): void => {
    for (let n = 0; n < times; n += 1) throttle.recordFailure(address, 'wrong');
  };

  it('blocks an address after ten failures within a minute, and no other address', () => {
    const throttle = new SignInThrottle(() => now);
    fail(throttle, 'a', 9);
    expect(throttle.waitMs('a', 'wrong')).toBe(0);
    now += 10_000;
    fail(throttle, 'a', 1);
    expect([throttle.waitMs('a', 'wrong'), throttle.waitMs('b', 'wrong')]).toEqual([50_000, 0]);
    now += 49_999;
    expect(throttle.waitMs('a', 'wrong')).toBe(1);
    now += 1;
    expect(throttle.waitMs('a', 'wrong')).toBe(0);
    fail(throttle, 'a', 8);
    expect(throttle.waitMs('a', 'wrong')).toBe(0);
    fail(throttle, 'a', 1);
    expect(throttle.waitMs('a', 'wrong')).toBe(10_000);
  });

  it('neither blocks nor counts tokens too long to be guessed', () => {
    const throttle = new SignInThrottle(() => now);
    for (let n = 0; n < 20; n += 1) throttle.recordFailure('a', 'x'.repeat(32));
    expect(throttle.waitMs('a', 'short')).toBe(0);
    for (let n = 0; n < 10; n += 1) throttle.recordFailure('a', 'x'.repeat(31));
    expect([throttle.waitMs('a', 'x'.repeat(31)) > 0, throttle.waitMs('a', 'x'.repeat(32))]).toEqual([true, 0]);
  });

  it('forgets an address after a thousand other addresses failed', () => {
    const throttle = new SignInThrottle(() => now);
    fail(throttle, 'a', 10);
    fail(throttle, 'b', 10);
    fail(throttle, 'a', 1);
    for (let n = 0; n < 999; n += 1) fail(throttle, `other-${n}`, 1);
    expect([throttle.waitMs('a', 'x') > 0, throttle.waitMs('b', 'x')]).toEqual([true, 0]);
    fail(throttle, 'one-more', 1);
    expect(throttle.waitMs('a', 'x')).toBe(0);
  });
});
