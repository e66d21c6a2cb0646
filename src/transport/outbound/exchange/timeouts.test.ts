import { describe, expect, it } from 'vitest';
import { expired, limitOf, type Watched } from './timeouts.ts';

const clocks = { connect: 10, firstByte: 20, idle: 30, total: 100, request: undefined };
const unset = { ...clocks, firstByte: undefined };
const start: Watched = {
  state: 'waiting',
  clocks,
  startedAt: 0,
  dialAt: 0,
  connectedAt: undefined,
  sentAt: undefined,
  firstAt: undefined,
  asksForStream: true,
  answer: undefined,
};
const sent: Watched = { ...start, connectedAt: 1, sentAt: 2 };
const holding: Watched = { ...sent, state: 'holding', firstAt: 5, answer: { lastAt: 5, isDrawn: false } };
const flowing: Watched = { ...holding, state: 'flowing', answer: { lastAt: 5, isDrawn: true } };

const rows: readonly [what: string, watched: Watched, now: number, phase: string | undefined][] = [
  ['a connection that does not come', start, 11, 'connect'],
  ['a connection within its time', start, 10, undefined],
  ['a token that is fetched first', { ...start, dialAt: Number.POSITIVE_INFINITY }, 99, undefined],
  ['a token that never comes', { ...start, dialAt: Number.POSITIVE_INFINITY }, 101, 'total'],
  ['a stream without its first byte', sent, 23, 'first-byte'],
  ['a body that is still being sent', { ...sent, sentAt: undefined }, 99, undefined],
  ['a whole answer without its head', { ...sent, asksForStream: false }, 23, 'first-byte'],
  ['one whose time nobody has set', { ...sent, asksForStream: false, clocks: unset }, 99, undefined],
  ['a stream whose time nobody has set', { ...sent, clocks: { ...unset, total: 70_000 } }, 60_003, 'first-byte'],
  [
    'a whole answer with its head alone',
    { ...sent, asksForStream: false, state: 'whole', answer: { lastAt: 5, isDrawn: false } },
    36,
    'idle',
  ],
  ['one whose bytes come', { ...sent, asksForStream: false, state: 'whole', answer: { lastAt: 70, isDrawn: false } }, 99, undefined],
  ['a stream that is silent before its content', holding, 36, 'idle'],
  ['a stream that is silent after it', flowing, 36, 'idle'],
  ['a stream that a slow client holds up', { ...flowing, answer: { lastAt: 5, isDrawn: false } }, 99, undefined],
  ['such a stream in the end', { ...flowing, answer: { lastAt: 5, isDrawn: false } }, 101, 'total'],
  ['a limit of the request before the commit', { ...holding, clocks: { ...clocks, request: 15 } }, 16, 'request'],
  ['a limit of the request after it', { ...flowing, clocks: { ...clocks, request: 15 } }, 16, undefined],
];

describe('the clocks of an attempt', () => {
  it.each(rows)('judge %s', (_what, watched, now, phase) => {
    expect(expired(watched, now)).toBe(phase);
  });

  it('have the limits that the configuration gives them', () => {
    const phases = ['connect', 'first-byte', 'idle', 'total', 'request'] as const;
    expect(phases.map((phase) => limitOf({ ...clocks, request: 15 }, phase))).toEqual([10, 20, 30, 100, 15]);
  });
});
