import { expect, it } from 'vitest';
import { slowClientMs } from '../../wire/slow-client.ts';
import { isClientNotReading, silentSide, type TimedTransfer } from './timeouts.ts';

const timeouts = { connect: 100, firstByte: 1, idle: 1000, total: 1, request: 1 };
const sent: TimedTransfer = {
  state: 'waiting',
  transfer: 'up',
  timeouts,
  dialAt: 0,
  connectedAt: 50,
  lastReceivedAt: 0,
  upload: undefined,
  body: undefined,
};

const table: readonly (readonly [name: string, members: Partial<TimedTransfer>, now: number, side: ReturnType<typeof silentSide>])[] = [
  ['connect if no connection is established', { connectedAt: undefined }, 101, 'connect'],
  ['nobody while a token is fetched first', { connectedAt: undefined, dialAt: Number.POSITIVE_INFINITY }, 1e6, undefined],
  ['nobody while the headers are within their time', {}, 1050, undefined],
  ['provider if the headers do not arrive', {}, 1051, 'provider'],
  ['nobody if the client pauses an upload', { upload: { isWaitingForData: true, lastActivityAt: 60 } }, 1e6, undefined],
  [
    'upload if the client pauses a relayed request',
    { transfer: 'relay', upload: { isWaitingForData: true, lastActivityAt: 60 } },
    1061,
    'upload',
  ],
  ['provider if it stops reading the upload', { upload: { isWaitingForData: false, lastActivityAt: 60 } }, 1061, 'provider'],
  ['nobody while the upload makes progress', { upload: { isWaitingForData: false, lastActivityAt: 900 } }, 1061, undefined],
  [
    'nobody while bytes of the response arrive',
    { state: 'flowing', lastReceivedAt: 900, body: { lastAt: 900, isBeingRead: true } },
    1061,
    undefined,
  ],
  [
    'provider if bytes of the response stop arriving',
    { state: 'flowing', lastReceivedAt: 900, body: { lastAt: 900, isBeingRead: true } },
    1901,
    'provider',
  ],
  [
    'nobody if the client pauses',
    { state: 'flowing', lastReceivedAt: 900, body: { lastAt: 900, isBeingRead: false } },
    900 + slowClientMs,
    undefined,
  ],
  [
    'client if it stops reading for too long',
    { state: 'flowing', lastReceivedAt: 900, body: { lastAt: 900, isBeingRead: false } },
    901 + slowClientMs,
    'client',
  ],
  [
    'provider if a buffered error response stops arriving',
    { state: 'whole', lastReceivedAt: 60, body: { lastAt: 60, isBeingRead: false } },
    1061,
    'provider',
  ],
];

it.each(table)('silence() blames %s', (_, members, now, side) => expect(silentSide({ ...sent, ...members }, now)).toBe(side));

it.each([
  ['false for a client that pauses', { state: 'flowing', body: { lastAt: 0, isBeingRead: false } }, slowClientMs, false],
  ['true for a client that stopped reading', { state: 'flowing', body: { lastAt: 0, isBeingRead: false } }, slowClientMs + 1, true],
  ['false for a client that waits for data', { state: 'flowing', body: { lastAt: 0, isBeingRead: true } }, slowClientMs + 1, false],
] as const)('isClientNotReading() returns %s', (_, members, now, expected) =>
  expect(isClientNotReading({ ...sent, ...members }, now)).toBe(expected),
);
