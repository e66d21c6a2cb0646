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
  ['connect if no connection is established', { connectedAt: undefined }, 101, 'connect'],
  ['nobody while a token is fetched first', { connectedAt: undefined, dialAt: Number.POSITIVE_INFINITY }, 1e6, undefined],
  ['nobody while the headers are within their time', {}, 1050, undefined],
  ['provider if the headers do not arrive', {}, 1051, 'provider'],
  ['nobody if the client pauses an upload', { upload: { isStarved: true, movedAt: 60 } }, 1e6, undefined],
  ['upload if the client pauses a relayed request', { file: 'relay', upload: { isStarved: true, movedAt: 60 } }, 1061, 'upload'],
  ['provider if it stops reading the upload', { upload: { isStarved: false, movedAt: 60 } }, 1061, 'provider'],
  ['nobody while the upload makes progress', { upload: { isStarved: false, movedAt: 900 } }, 1061, undefined],
  [
    'nobody while bytes of the response arrive',
    { state: 'flowing', heardAt: 900, answer: { lastAt: 900, isDrawn: true } },
    1061,
    undefined,
  ],
  [
    'provider if bytes of the response stop arriving',
    { state: 'flowing', heardAt: 900, answer: { lastAt: 900, isDrawn: true } },
    1901,
    'provider',
  ],
  [
    'nobody if the client pauses',
    { state: 'flowing', heardAt: 900, answer: { lastAt: 900, isDrawn: false } },
    900 + slowClientMs,
    undefined,
  ],
  [
    'client if it stops reading for too long',
    { state: 'flowing', heardAt: 900, answer: { lastAt: 900, isDrawn: false } },
    901 + slowClientMs,
    'client',
  ],
  [
    'provider if a buffered error response stops arriving',
    { state: 'whole', heardAt: 60, answer: { lastAt: 60, isDrawn: false } },
    1061,
    'provider',
  ],
];

it.each(table)('silence() blames %s', (_, over, now, who) => expect(silence({ ...sent, ...over }, now)).toBe(who));

it.each([
  ['false for a client that pauses', { state: 'flowing', answer: { lastAt: 0, isDrawn: false } }, slowClientMs, false],
  ['true for a client that stopped reading', { state: 'flowing', answer: { lastAt: 0, isDrawn: false } }, slowClientMs + 1, true],
  ['false for a client that waits for data', { state: 'flowing', answer: { lastAt: 0, isDrawn: true } }, slowClientMs + 1, false],
] as const)('isUntaken() returns %s', (_, over, now, isIt) => expect(isUntaken({ ...sent, ...over }, now)).toBe(isIt));
