import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { skipContinue } from './skip-continue.ts';

/** What a parser reads of these pieces. */
function readOf(pieces: readonly string[], isBeginning = true): string {
  const pending = pieces.map((piece) => Buffer.from(piece, 'latin1'));
  const socket = { read: () => pending.shift() ?? null } as unknown as Socket;
  const skipper = skipContinue(socket);
  if (isBeginning) skipper.begin();
  return pieces.map(() => (socket.read() as Buffer | null)?.toString('latin1') ?? '').join('');
}

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const proceed = 'HTTP/1.1 100 Continue\r\n\r\n';
const withField = 'HTTP/1.1 100\r\nserver: x\r\n\r\n';

/** A response, and what remains of it. */
const cases: readonly [what: string, received: string, remaining: string][] = [
  ['leaves out 100 Continue', proceed + ok, ok],
  ['leaves out several', proceed + withField + ok, ok],
  ['keeps other interim responses', `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${ok}`, `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${ok}`],
  ['keeps a body that looks like one', `HTTP/1.1 200 OK\r\n\r\n${proceed}`, `HTTP/1.1 200 OK\r\n\r\n${proceed}`],
  ['keeps what is not HTTP', 'SSH-2.0-x\r\n', 'SSH-2.0-x\r\n'],
];

describe('skipContinue()', () => {
  it.each(cases)('%s, wherever it is cut', (_what, received, remaining) => {
    for (let cut = 0; cut <= received.length; cut += 1) {
      const pieces = [received.slice(0, cut), received.slice(cut)].filter((piece) => piece !== '');
      expect(readOf(pieces)).toBe(remaining);
    }
    expect(readOf(Array.from(received, (character) => character))).toBe(remaining);
  });

  it('keeps a head that is too long', () => {
    const head = `HTTP/1.1 100 ${'x'.repeat(5000)}`;
    expect(readOf([head, '\r\n\r\n', ok])).toBe(`${head}\r\n\r\n${ok}`);
  });

  it('does nothing while no response begins', () => {
    expect(readOf([proceed], false)).toBe(proceed);
  });
});
