import { describe, expect, it } from 'vitest';
import type { CircuitPolicy } from '#core/snapshot.ts';
import { noon } from '../../test/support/stage-context.ts';
import { Circuit, type CircuitMessage, type CircuitChange } from './circuit.ts';

const policy = (over: Partial<CircuitPolicy> = {}): CircuitPolicy => ({
  id: 'one',
  failures: undefined,
  share: undefined,
  minimum: 5,
  cooldownMs: 30_000,
  fails: (status) => status >= 500,
  ...over,
});

/** Attempts one after another, each ended a second after the one before: `x` failed, `.` succeeded. */
function play(
  attempts: string,
  rules: CircuitPolicy,
  stepMs = 1000,
): { circuit: Circuit; turns: CircuitChange[]; now: number; told: CircuitMessage[] } {
  const told: CircuitMessage[] = [];
  const circuit = new Circuit('one', (word) => void told.push(word));
  let now = noon;
  const turns = Array.from(attempts, (attempt) => {
    now += stepMs;
    return circuit.recordResult(rules, attempt === 'x', { began: now - 10, now });
  });
  return { circuit, turns, now, told };
}

const opensAt = (turns: readonly CircuitChange[]): number => turns.indexOf('opened') + 1;

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
  ])('%s', (_name, over, attempts, at) => {
    expect(opensAt(play(attempts, policy(over)).turns)).toBe(at);
  });

  it('based on the attempts of the last minute only', () => {
    expect(opensAt(play('xxxx....x', policy({ share: 0.5 }), 14_000).turns)).toBe(0);
    expect(opensAt(play('....xxxxx', policy({ share: 0.5 }), 14_000).turns)).toBe(7);
  });

  it('even if the system clock goes back', () => {
    const { circuit, now } = play('xx', policy({ share: 0.5, minimum: 3 }));
    expect(circuit.recordResult(policy({ share: 0.5, minimum: 3 }), true, { began: now, now: now - 3_600_000 })).toBe('opened');
  });
});

describe('an open circuit', () => {
  const rules = policy({ failures: 2 });

  it('allows one request after the cool-down, and another if that one reports no result', () => {
    const { circuit, now } = play('xx', rules);
    expect([circuit.wait(rules, now), circuit.wait(rules, now + 29_999), circuit.wait(rules, now + 30_000)]).toEqual([30_000, 1, 0]);
    circuit.reserveTrial(rules, now + 31_000);
    expect([circuit.wait(rules, now + 31_000), circuit.wait(rules, now + 61_000)]).toEqual([30_000, 0]);
  });

  it.each([
    [false, 'closed', 0],
    [true, 'opened', 30_000],
  ] as const)('is updated by the result of the trial request: failed %s', (hasFailed, turn, wait) => {
    const { circuit, now } = play('xx', rules);
    const later = now + 40_000;
    circuit.reserveTrial(rules, later);
    expect(circuit.recordResult(rules, hasFailed, { began: later, now: later + 5000 })).toBe(turn);
    expect(circuit.wait(rules, later + 5000)).toBe(wait);
  });

  it.each([true, false])('ignores an attempt that began before it opened: failed %s', (hasFailed) => {
    const { circuit, now } = play('xx', rules);
    expect(circuit.recordResult(rules, hasFailed, { began: now - 1, now: now + 20_000 })).toBeUndefined();
    expect(circuit.wait(rules, now + 20_000)).toBe(10_000);
  });

  it('ignores attempts that began before it closed', () => {
    const share = policy({ share: 0.5 });
    const { circuit, now } = play('xxxxx', share);
    expect(circuit.recordResult(share, false, { began: now, now })).toBe('closed');
    expect([1, 2, 3, 4, 5].map((n) => circuit.recordResult(share, true, { began: now, now: now + n })).indexOf('opened')).toBe(4);
  });

  it('keeps its cool-down if the system clock is set back', () => {
    const { circuit, now } = play('xx', rules);
    const back = now - 3_600_000;
    expect(circuit.wait(rules, back)).toBe(30_000);
    expect([circuit.wait(rules, back + 30_000), circuit.recordResult(rules, false, { began: back + 30_000, now: back + 30_001 })]).toEqual([
      0,
      'closed',
    ]);
    const again = play('xx', rules);
    expect(again.circuit.recordResult(rules, false, { began: again.now - 3_600_000, now: again.now - 3_600_000 })).toBe('closed');
  });

  it('ignores attempts older than a minute, even if the system clock was set back', () => {
    const share = policy({ share: 0.5, minimum: 5 });
    const { circuit, now } = play('..........', share);
    const back = now - 3_600_000;
    expect(circuit.recordResult(share, true, { began: back, now: back })).toBeUndefined();
    const later = back + 70_000;
    const turns = Array.from({ length: 5 }, () => circuit.recordResult(share, true, { began: later, now: later }));
    expect(opensAt(turns)).toBe(5);
  });

  it('restarts its failure count after it closed', () => {
    const { circuit, now } = play('xx', rules);
    circuit.recordResult(rules, false, { began: now, now });
    expect(circuit.recordResult(rules, true, { began: now, now })).toBeUndefined();
    expect(circuit.recordResult(rules, true, { began: now, now })).toBe('opened');
  });
});

/** The same target in several worker processes, which get each other's messages at once. */
function workers(count: number): { circuits: readonly Circuit[]; words: () => number } {
  let words = 0;
  const circuits: Circuit[] = Array.from(
    { length: count },
    (_, mine) =>
      new Circuit('one', (word) => {
        words += 1;
        circuits.forEach((other, at) => at !== mine && other.receive(word, noon));
      }),
  );
  return { circuits, words: () => words };
}

describe('a circuit shared by several workers', () => {
  const at = { began: noon, now: noon };
  const [end] = [{ began: noon + 1, now: noon + 1 }];

  it.each([
    ['consecutive failures of all workers', { failures: 4 }, 'xxxx', 4],
    ['a successful attempt of another worker', { failures: 3 }, 'xx.xx', 0],
    ['the share of failures of all workers', { share: 0.5, minimum: 4 }, 'xxxx', 4],
  ])('counts %s', (_name, over, attempts, opened) => {
    const { circuits } = workers(3);
    const turns = Array.from(attempts, (attempt, n) => circuits[n % 3]?.recordResult(policy(over), attempt === 'x', at));
    expect(opensAt(turns)).toBe(opened);
    expect(circuits.map((circuit) => circuit.wait(policy(over), noon) > 0)).toEqual(Array(3).fill(opened > 0));
  });

  it('allows one trial request in total, and closes in all workers', () => {
    const { circuits } = workers(3);
    const rules = policy({ failures: 1 });
    circuits[0]?.recordResult(rules, true, at);
    const later = { began: noon + 30_000, now: noon + 30_000 };
    circuits[1]?.reserveTrial(rules, later.now);
    expect(circuits.map((circuit) => circuit.wait(rules, later.now))).toEqual([30_000, 30_000, 30_000]);
    circuits[1]?.recordResult(rules, false, later);
    expect(circuits.map((circuit) => circuit.wait(rules, later.now))).toEqual([0, 0, 0]);
  });

  it('sends no message for each successful request', () => {
    const { circuits, words } = workers(2);
    for (let n = 0; n < 1000; n += 1) circuits[0]?.recordResult(policy({ failures: 5 }), false, at);
    expect(words()).toBe(0);
    for (let n = 0; n < 1000; n += 1) circuits[0]?.recordResult(policy({ share: 0.5 }), false, end);
    expect(words()).toBe(1);
  });
});
