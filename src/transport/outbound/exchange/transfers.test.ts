import { expect, it } from 'vitest';
import { slowClientMs } from '../../wire/slow-client.ts';
import { isUntaken, silence, type WatchedTransfer } from './timeouts.ts';

const clocks = { connect: 100, firstByte: 1, idle: 1000, total: 1, request: 1 };
const sent: WatchedTransfer = {
  state: 'waiting',
  file: 'up',
  clocks,
  dialAt: 0,
  connectedAt: 50,
  heardAt: 0,
  upload: undefined,
  answer: undefined,
};

const table: readonly (readonly [what: string, over: Partial<WatchedTransfer>, now: number, who: ReturnType<typeof silence>])[] = [
  ['nobody answers the call', { connectedAt: undefined }, 101, 'connect'],
  ['a token is fetched first', { connectedAt: undefined, dialAt: Number.POSITIVE_INFINITY }, 1e6, undefined],
  ['the head is waited for', {}, 1050, undefined],
  ['the head does not come', {}, 1051, 'provider'],
  ['the client pauses in its form', { upload: { isStarved: true, movedAt: 60 } }, 1e6, undefined],
  ['a relayed client pauses', { file: 'relay', upload: { isStarved: true, movedAt: 60 } }, 1061, 'upload'],
  ['the provider takes no more', { upload: { isStarved: false, movedAt: 60 } }, 1061, 'provider'],
  ['the upload moves', { upload: { isStarved: false, movedAt: 900 } }, 1061, undefined],
  ['bytes come down', { state: 'flowing', heardAt: 900, answer: { lastAt: 900, isDrawn: true } }, 1061, undefined],
  ['bytes stop coming', { state: 'flowing', heardAt: 900, answer: { lastAt: 900, isDrawn: true } }, 1901, 'provider'],
  ['a reader rests', { state: 'flowing', heardAt: 900, answer: { lastAt: 900, isDrawn: false } }, 900 + slowClientMs, undefined],
  [
    'a reader is gone without a word',
    { state: 'flowing', heardAt: 900, answer: { lastAt: 900, isDrawn: false } },
    901 + slowClientMs,
    'client',
  ],
  ['an error is held', { state: 'whole', heardAt: 60, answer: { lastAt: 60, isDrawn: false } }, 1061, 'provider'],
];

it.each(table)('%s', (_, over, now, who) => expect(silence({ ...sent, ...over }, now)).toBe(who));

it.each([
  ['a stream whose client rests', { state: 'flowing', answer: { lastAt: 0, isDrawn: false } }, slowClientMs, false],
  [
    'a stream that its client has given up without a word',
    { state: 'flowing', answer: { lastAt: 0, isDrawn: false } },
    slowClientMs + 1,
    true,
  ],
  ['a stream whose client waits', { state: 'flowing', answer: { lastAt: 0, isDrawn: true } }, slowClientMs + 1, false],
] as const)('an answer is not taken: %s', (_, over, now, isIt) => expect(isUntaken({ ...sent, ...over }, now)).toBe(isIt));
