import { describe, expect, it } from 'vitest';
import type { CircuitPolicy } from '#core/snapshot.ts';
import { noon } from '../../test/support/stage-context.ts';
import { Circuit, type CircuitMessage, type CircuitChange } from './circuit.ts';

const policy = (overrides: Partial<CircuitPolicy> = {}): CircuitPolicy => ({
  id: 'one',
  failures: undefined,
  share: undefined,
  minimum: 5,
  cooldownMs: 30_000,
  fails: (status) => status >= 500,
  ...overrides,
});

/** Attempts one after another, each ended a second after the one before: `x` failed, `.` succeeded. */
function recordAttempts(
  attempts: string,
  rules: CircuitPolicy,
  stepMs = 1000,
): { circuit: Circuit; changes: CircuitChange[]; now: number; messages: CircuitMessage[] } {
  const messages: CircuitMessage[] = [];
  const circuit = new Circuit('one', (message) => void messages.push(message));
  let now = noon;
  const changes = Array.from(attempts, (attempt) => {
    now += stepMs;
    return circuit.recordResult(rules, attempt === 'x', { began: now - 10, now });
  });
  return { circuit, changes, now, messages };
}

const attemptsUntilOpen = (changes: readonly CircuitChange[]): number => changes.indexOf('opened') + 1;

describe('a circuit opens', () => {
  it.each([
    ['after the number of failures in a row', { failures: 3 }, 'xxx', 3],
    ['never if an attempt between failures succeeds', { failures: 3 }, 'xx.xx.xx.', 0],
    ['after one failure', { failures: 1 }, '.x', 2],
    ['when the share of failures is reached', { share: 0.5 }, '...xxx', 6],
    ['never below the minimum number of attempts', { share: 0.5 }, 'xxxx', 0],
    ['with the attempt that reaches the minimum number', { share: 0.5 }, 'xxxxx', 5],
    ['never below the share of failures', { share: 0.5 }, '.....xxxx', 0],
    ['never with a successful attempt', { share: 0.4, minimum: 5 }, 'xx...', 0],
    ['when one of the two limits is reached', { failures: 2, share: 1, minimum: 100 }, '.xx', 3],
  ])('%s', (_name, overrides, attempts, opensAfter) => {
    expect(attemptsUntilOpen(recordAttempts(attempts, policy(overrides)).changes)).toBe(opensAfter);
  });

  it('based on the attempts of the last minute only', () => {
    expect(attemptsUntilOpen(recordAttempts('xxxx....x', policy({ share: 0.5 }), 14_000).changes)).toBe(0);
    expect(attemptsUntilOpen(recordAttempts('....xxxxx', policy({ share: 0.5 }), 14_000).changes)).toBe(7);
  });

  it('even if the system clock goes back', () => {
    const { circuit, now } = recordAttempts('xx', policy({ share: 0.5, minimum: 3 }));
    expect(circuit.recordResult(policy({ share: 0.5, minimum: 3 }), true, { began: now, now: now - 3_600_000 })).toBe('opened');
  });
});

describe('an open circuit', () => {
  const rules = policy({ failures: 2 });

  it('allows one request after the cool-down, and another if that one reports no result', () => {
    const { circuit, now } = recordAttempts('xx', rules);
    expect([circuit.wait(rules, now), circuit.wait(rules, now + 29_999), circuit.wait(rules, now + 30_000)]).toEqual([30_000, 1, 0]);
    circuit.reserveTrial(rules, now + 31_000);
    expect([circuit.wait(rules, now + 31_000), circuit.wait(rules, now + 61_000)]).toEqual([30_000, 0]);
  });

  it.each([
    [false, 'closed', 0],
    [true, 'opened', 30_000],
  ] as const)('is updated by the result of the trial request: failed %s', (hasFailed, change, wait) => {
    const { circuit, now } = recordAttempts('xx', rules);
    const later = now + 40_000;
    circuit.reserveTrial(rules, later);
    expect(circuit.recordResult(rules, hasFailed, { began: later, now: later + 5000 })).toBe(change);
    expect(circuit.wait(rules, later + 5000)).toBe(wait);
  });

  it.each([true, false])('ignores an attempt that began before it opened: failed %s', (hasFailed) => {
    const { circuit, now } = recordAttempts('xx', rules);
    expect(circuit.recordResult(rules, hasFailed, { began: now - 1, now: now + 20_000 })).toBeUndefined();
    expect(circuit.wait(rules, now + 20_000)).toBe(10_000);
  });

  it('ignores attempts that began before it closed', () => {
    const sharePolicy = policy({ share: 0.5 });
    const { circuit, now } = recordAttempts('xxxxx', sharePolicy);
    expect(circuit.recordResult(sharePolicy, false, { began: now, now })).toBe('closed');
    expect([1, 2, 3, 4, 5].map((n) => circuit.recordResult(sharePolicy, true, { began: now, now: now + n })).indexOf('opened')).toBe(4);
  });

  it('keeps its cool-down if the system clock is set back', () => {
    const { circuit, now } = recordAttempts('xx', rules);
    const clockSetBack = now - 3_600_000;
    expect(circuit.wait(rules, clockSetBack)).toBe(30_000);
    expect([
      circuit.wait(rules, clockSetBack + 30_000),
      circuit.recordResult(rules, false, { began: clockSetBack + 30_000, now: clockSetBack + 30_001 }),
    ]).toEqual([0, 'closed']);
    const secondRun = recordAttempts('xx', rules);
    expect(secondRun.circuit.recordResult(rules, false, { began: secondRun.now - 3_600_000, now: secondRun.now - 3_600_000 })).toBe(
      'closed',
    );
  });

  it('keeps its cool-down if the system clock is set back after a trial without a result', () => {
    const { circuit, now } = recordAttempts('xx', rules);
    circuit.reserveTrial(rules, now + 3_600_000);
    expect(circuit.wait(rules, now)).toBe(30_000);
  });

  it('ignores attempts older than a minute, even if the system clock was set back', () => {
    const sharePolicy = policy({ share: 0.5, minimum: 5 });
    const { circuit, now } = recordAttempts('..........', sharePolicy);
    const clockSetBack = now - 3_600_000;
    expect(circuit.recordResult(sharePolicy, true, { began: clockSetBack, now: clockSetBack })).toBeUndefined();
    const later = clockSetBack + 70_000;
    const changes = Array.from({ length: 5 }, () => circuit.recordResult(sharePolicy, true, { began: later, now: later }));
    expect(attemptsUntilOpen(changes)).toBe(5);
  });

  it('restarts its failure count after it closed', () => {
    const { circuit, now } = recordAttempts('xx', rules);
    circuit.recordResult(rules, false, { began: now, now });
    expect(circuit.recordResult(rules, true, { began: now, now })).toBeUndefined();
    expect(circuit.recordResult(rules, true, { began: now, now })).toBe('opened');
  });
});

/** The same target in several worker processes, which get each other's messages at once. */
function workers(count: number): { circuits: readonly Circuit[]; sentMessageCount: () => number } {
  let messageCount = 0;
  const circuits: Circuit[] = Array.from(
    { length: count },
    (_, sender) =>
      new Circuit('one', (message) => {
        messageCount += 1;
        circuits.forEach((receiver, index) => index !== sender && receiver.receive(message, noon));
      }),
  );
  return { circuits, sentMessageCount: () => messageCount };
}

describe('a circuit shared by several workers', () => {
  const times = { began: noon, now: noon };
  const [end] = [{ began: noon + 1, now: noon + 1 }];

  it.each([
    ['consecutive failures of all workers', { failures: 4 }, 'xxxx', 4],
    ['a successful attempt of another worker', { failures: 3 }, 'xx.xx', 0],
    ['the share of failures of all workers', { share: 0.5, minimum: 4 }, 'xxxx', 4],
  ])('counts %s', (_name, overrides, attempts, opened) => {
    const { circuits } = workers(3);
    const changes = Array.from(attempts, (attempt, n) => circuits[n % 3]?.recordResult(policy(overrides), attempt === 'x', times));
    expect(attemptsUntilOpen(changes)).toBe(opened);
    expect(circuits.map((circuit) => circuit.wait(policy(overrides), noon) > 0)).toEqual(Array(3).fill(opened > 0));
  });

  it('allows one trial request in total, and closes in all workers', () => {
    const { circuits } = workers(3);
    const rules = policy({ failures: 1 });
    circuits[0]?.recordResult(rules, true, times);
    const later = { began: noon + 30_000, now: noon + 30_000 };
    circuits[1]?.reserveTrial(rules, later.now);
    expect(circuits.map((circuit) => circuit.wait(rules, later.now))).toEqual([30_000, 30_000, 30_000]);
    circuits[1]?.recordResult(rules, false, later);
    expect(circuits.map((circuit) => circuit.wait(rules, later.now))).toEqual([0, 0, 0]);
  });

  it('sends no message for each successful request', () => {
    const { circuits, sentMessageCount } = workers(2);
    for (let n = 0; n < 1000; n += 1) circuits[0]?.recordResult(policy({ failures: 5 }), false, times);
    expect(sentMessageCount()).toBe(0);
    for (let n = 0; n < 1000; n += 1) circuits[0]?.recordResult(policy({ share: 0.5 }), false, end);
    expect(sentMessageCount()).toBe(1);
  });

  it('sends the successes of a worker if the system clock was set back', () => {
    const messages: CircuitMessage[] = [];
    const circuit = new Circuit('one', (message) => void messages.push(message));
    const succeed = (now: number): void => void circuit.recordResult(policy({ share: 0.5 }), false, { began: now, now });
    succeed(noon);
    const clockSetBack = noon - 3_600_000;
    for (const later of [0, 500, 1000]) succeed(clockSetBack + later);
    expect(messages).toEqual([
      { id: 'one', worked: 1, failed: 0 },
      { id: 'one', worked: 3, failed: 0 },
    ]);
  });
});
