import { Random } from '../random.ts';
import type { FakeSocket } from './fake-socket.ts';
import { message, mutated } from './messages.ts';
import { Side } from './side.ts';

/**
 * The law of the front: requests have the same effect, whether the gateway's own reader or `node:http` reads the socket. Both
 * sides respond with what they have read, so it is sufficient to compare the outgoing bytes. Two differences are allowed.
 * Before CONNECT, `node:http` does not wait for earlier responses. And the gateway's reader rejects chunks with
 * quoted extensions, or with sizes of more than 12 digits, which no client sends.
 */
export interface FrontResult {
  readonly cases: number;
  /** Number of requests read by the gateway's own reader. */
  readonly plain: number;
  readonly broken: readonly { readonly n: number; readonly pieces: readonly string[]; readonly gateway: string; readonly node: string }[];
}

/** Number of simultaneous connections. */
const batchSize = 64;
const maxViolations = 5;
const connectPattern = /CONNECT /i;
const rejectedChunk = /\n(?:[\da-f]+;[^\r\n]*"|[\da-f]{13})/i;
/** The error for chunks that are rejected, in any of the forms in which a side responds. */
const lastResponse = /HTTP\/1\.1 (?:(?!HTTP\/1\.1).)*$/s;

/** Compares random connections, starting with case number `from`. */
export async function checkFront(seed: number, from: number, count: number, onProgress?: (done: number) => void): Promise<FrontResult> {
  let plain = 0;
  let cases = 0;
  const violations: FrontResult['broken'][number][] = [];
  for (let n = 0; n < count && violations.length < maxViolations; n += batchSize) {
    const numbers = Array.from({ length: Math.min(batchSize, count - n) }, (_, at) => from + n + at);
    const result = await compare(numbers.map((number) => piecesOf(seed, number)));
    plain += result.plain;
    for (const { n: at, ...rest } of result.broken) violations.push({ n: numbers[at] ?? -1, ...rest });
    cases += numbers.length;
    onProgress?.(cases);
  }
  return { cases, plain, broken: violations };
}

/** Compares several connections. Their pieces arrive one after the other, each after the previous one was processed. */
export async function compare(all: readonly (readonly string[])[]): Promise<FrontResult> {
  const sides = [new Side(true), new Side(false)] as const;
  const sockets = all.map((_, n) => sides.map((side) => side.connect(String(n))));
  const longest = Math.max(...all.map((pieces) => pieces.length));
  for (let at = 0; at < longest; at += 1) {
    for (const [n, pieces] of all.entries()) for (const socket of sockets[n] ?? []) send(socket, pieces[at]);
    await settled();
  }
  await settled();
  for (const socket of sockets.flat()) if (!socket.destroyed) socket.push(null);
  await settled();
  const violations = all.flatMap((pieces, n) => {
    const [a, b] = sockets[n] as [FakeSocket, FakeSocket];
    const [gateway, node] = [effect(a), effect(b)];
    const sent = pieces.join('');
    const isOvertaken = connectPattern.test(sent) && a.text.endsWith(b.text.slice(sameStart(a.text, b.text)));
    const isStricter = rejectedChunk.test(sent) && isClosed(a) && b.text.startsWith(a.text.replace(lastResponse, ''));
    return gateway === node || isOvertaken || isStricter ? [] : [{ n, pieces, gateway, node }];
  });
  for (const socket of sockets.flat()) socket.destroy();
  return { cases: all.length, plain: sides[0].plain, broken: violations };
}

function send(socket: FakeSocket, piece: string | undefined): void {
  if (piece !== undefined && piece !== '' && !socket.destroyed) socket.push(Buffer.from(piece, 'latin1'));
}

/** Returns the length of the common prefix. */
function sameStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

const isClosed = (socket: FakeSocket): boolean => socket.writableEnded || socket.destroyed;

const effect = (socket: FakeSocket): string => `${socket.text}${isClosed(socket) ? '(closed)' : '(open)'}`;

async function settled(): Promise<void> {
  for (let turns = 0; turns < 4; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Generates one connection: a few messages, split at random positions. */
function piecesOf(seed: number, n: number): readonly string[] {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ n);
  const odd = random.pick([0, 0, 0.02, 0.1, 0.3]);
  const count = random.pick([1, 1, 2, 3]);
  let repeated = '';
  const pieces: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const messageText = repeated !== '' && random.chance(0.5) ? repeated : message(random, odd);
    repeated = messageText;
    const text = random.chance(odd) ? mutated(random, messageText) : messageText;
    if (pieces.length > 0 && random.chance(0.2)) pieces.push(...splitRandomly(random, (pieces.pop() ?? '') + text));
    else pieces.push(...splitRandomly(random, text));
  }
  return pieces;
}

function splitRandomly(random: Random, text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  for (let n = random.pick([0, 0, 0, 1, 1, 2, 4]); n > 0 && rest.length > 1; n -= 1) {
    const at = 1 + random.below(rest.length - 1);
    pieces.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...pieces, rest];
}
