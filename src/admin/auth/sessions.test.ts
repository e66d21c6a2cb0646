import { beforeEach, describe, expect, it } from 'vitest';
import { Sessions } from './sessions.ts';
import { Throttle } from './throttle.ts';
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

describe('a session', () => {
  it('lasts as long as it is used, and ends when it was idle', () => {
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

  it('ends after thirty days even when it is in use', () => {
    const id = sessions.begin(user);
    for (let n = 0; n < 60; n += 1) {
      now += 12 * hour;
      expect(sessions.find(id)).toBe(user);
    }
    now += 1;
    expect(sessions.find(id)).toBeUndefined();
  });

  it('lasts as long as the configuration says now', () => {
    const id = sessions.begin(user);
    now += 2 * hour;
    idleMs = hour;
    expect(sessions.find(id)).toBeUndefined();
  });

  it('ends when it is ended, and no other one does', () => {
    const [one, other] = [sessions.begin(user), sessions.begin(linkUser)];
    expect(one).not.toBe(other);
    sessions.end(one);
    expect([sessions.find(one), sessions.find(other), sessions.find('')]).toEqual([undefined, linkUser, undefined]);
  });

  it('makes room for new ones where it was idle longest', () => {
    const ids = Array.from({ length: 256 }, () => sessions.begin(user));
    expect(sessions.find(ids[0] ?? '')).toBe(user);
    const last = sessions.begin(user);
    const ended = ids.filter((id) => sessions.find(id) === undefined);
    expect([ended, sessions.find(last)]).toEqual([[ids[1]], user]);
  });
});

describe('a link', () => {
  it.each([
    [0, true],
    [hour, true],
    [hour + 1, false],
  ])('that is %i ms old signs in whoever made it: %s', (age, works) => {
    const link = sessions.link(user);
    now += age;
    const used = ['other', link, link].map((one) => sessions.useLink(one));
    expect(used).toEqual([undefined, works ? user : undefined, undefined]);
  });

  it('makes room for new ones where it is the oldest of many', () => {
    const links = Array.from({ length: 17 }, () => sessions.link(linkUser));
    expect(links.map((link) => sessions.useLink(link) !== undefined)).toEqual(links.map((_, n) => n > 0));
  });
});

describe('an address that failed to sign in', () => {
  const fail = (throttle: Throttle, address: string, times: number): void => {
    for (let n = 0; n < times; n += 1) throttle.failed(address, 'wrong');
  };

  it('waits after ten times within a minute, and others do not', () => {
    const throttle = new Throttle(() => now);
    fail(throttle, 'a', 9);
    expect(throttle.wait('a', 'wrong')).toBe(0);
    now += 10_000;
    fail(throttle, 'a', 1);
    expect([throttle.wait('a', 'wrong'), throttle.wait('b', 'wrong')]).toEqual([50_000, 0]);
    now += 49_999;
    expect(throttle.wait('a', 'wrong')).toBe(1);
    now += 1;
    expect(throttle.wait('a', 'wrong')).toBe(0);
    fail(throttle, 'a', 8);
    expect(throttle.wait('a', 'wrong')).toBe(0);
    fail(throttle, 'a', 1);
    expect(throttle.wait('a', 'wrong')).toBe(10_000);
  });

  it('does not wait with a token that nobody finds by guessing, and those do not count', () => {
    const throttle = new Throttle(() => now);
    for (let n = 0; n < 20; n += 1) throttle.failed('a', 'x'.repeat(32));
    expect(throttle.wait('a', 'short')).toBe(0);
    for (let n = 0; n < 10; n += 1) throttle.failed('a', 'x'.repeat(31));
    expect([throttle.wait('a', 'x'.repeat(31)) > 0, throttle.wait('a', 'x'.repeat(32))]).toEqual([true, 0]);
  });

  it('is forgotten where a thousand others failed after it', () => {
    const throttle = new Throttle(() => now);
    fail(throttle, 'a', 10);
    fail(throttle, 'b', 10);
    fail(throttle, 'a', 1);
    for (let n = 0; n < 999; n += 1) fail(throttle, `other-${n}`, 1);
    expect([throttle.wait('a', 'x') > 0, throttle.wait('b', 'x')]).toEqual([true, 0]);
    fail(throttle, 'one-more', 1);
    expect(throttle.wait('a', 'x')).toBe(0);
  });
});
