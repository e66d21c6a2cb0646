import { Random } from '../random.ts';
import { anyCase, type WireCase } from './grammar.ts';
import { nodeReads, GatewayReader, type Reading, undiciReads } from './readers.ts';

/**
 * The law of the response parser: a response that it accepts as complete is read identically by undici and by Node's own client,
 * and splitting it into pieces changes nothing.
 */
export interface ComparedCases {
  readonly cases: number;
  /** Number of complete responses, according to the gateway's reader. */
  readonly accepted: number;
  readonly broken: readonly BrokenCase[];
  /** Responses that undici accepts and the gateway's reader rejects, by its reason. They show its strictness and don't break the law. */
  readonly stricter: ReadonlyMap<string, { count: number; example: string }>;
}

export interface BrokenCase {
  readonly n: number;
  readonly why: string;
  readonly method: string;
  readonly text: string;
}

export interface CompareOptions {
  readonly seed: number;
  readonly cases: number;
  /** Also checks the responses that the gateway's reader rejects, which costs one more reading. */
  readonly countsStricter?: boolean;
  onProgress?(done: number): void;
}

export async function compareCases({ seed, cases, countsStricter = false, onProgress }: CompareOptions): Promise<ComparedCases> {
  const gatewayReader = new GatewayReader();
  const broken: BrokenCase[] = [];
  const stricter = new Map<string, { count: number; example: string }>();
  let accepted = 0;
  for (let n = 0; n < cases && broken.length < 20; n += 1) {
    const random = new Random(seed * 1_000_003 + n);
    const wireCase = anyCase(random);
    const { reading, why } = await compareCase(gatewayReader, wireCase, random);
    if (why !== undefined) broken.push({ n, why, method: wireCase.method, text: wireCase.text });
    if (reading.isWhole) accepted += 1;
    else if (countsStricter) await noteStricter(stricter, wireCase, reading);
    if (n % 10_000 === 0) onProgress?.(n);
  }
  return { cases, accepted, broken, stricter };
}

/** Compares the gateway's reading of the case in one piece with those of the others, and with its own readings of split input. */
export async function compareCase(
  gatewayReader: GatewayReader,
  wireCase: WireCase,
  random: Random,
): Promise<{ readonly reading: Reading; readonly why: string | undefined }> {
  const bytes = Buffer.from(wireCase.text, 'latin1');
  const reading = gatewayReader.read(wireCase, [bytes]);
  for (const pieces of splitsOf(bytes, random)) {
    const inPieces = gatewayReader.read(wireCase, pieces);
    const why = differs(reading, inPieces);
    if (why !== undefined) return { reading, why: `cut in ${pieces.length} pieces: ${why}` };
  }
  if (!reading.isWhole) return { reading, why: undefined };
  const one = await undiciReads(wireCase, [bytes], !reading.isKeptAlive);
  // Node reads the bytes after the response before it emits the response.
  const other = await nodeReads(wireCase, [bytes.subarray(0, bytes.length - reading.behind)]);
  return { reading, why: differenceOf('undici', reading, one, isExcused(wireCase)) ?? differenceOf('node', reading, other, false) };
}

/**
 * Cases in which undici is not the reference, but Node is: undici fails at `100 Continue`, which RFC 9110 15.2 requires every
 * client to skip, it reads a space after the number of a content-length as a digit, and it does not know `keep-alive` before a tab.
 */
const isExcused = ({ text }: WireCase): boolean =>
  /^HTTP\/1\.[01] 100/m.test(text) || /^content-length:.*\d[ \t]+\r$/im.test(text) || /^connection:.*keep-alive *\t/im.test(text);

function differenceOf(who: string, gateway: Reading, other: Reading, isForgiven: boolean): string | undefined {
  if (!other.isWhole) return isForgiven ? undefined : `${who} refuses it: ${other.why}`;
  if (gateway.isKeptAlive && who === 'undici' && !other.isKeptAlive && !isForgiven) return 'undici would not keep the connection';
  const why = differs(gateway, { ...other, isKeptAlive: gateway.isKeptAlive });
  return why === undefined ? undefined : `${who}: ${why}`;
}

/** Returns the difference between two readings. Of two invalid responses nothing else is compared. */
function differs(one: Reading, other: Reading): string | undefined {
  if (one.isWhole !== other.isWhole) return `one is whole, the other is not (${one.why}${other.why})`;
  if (!one.isWhole) return undefined;
  for (const member of ['status', 'body', 'isKeptAlive'] as const)
    if (one[member] !== other[member]) return `${member}: ${JSON.stringify(one[member])} and ${JSON.stringify(other[member])}`;
  const [headers, others] = [JSON.stringify(one.headers), JSON.stringify(other.headers)];
  return headers === others ? undefined : `headers: ${headers} and ${others}`;
}

/** Splits the bytes: into single bytes, in two, and in a few pieces. */
function splitsOf(bytes: Buffer, random: Random): Buffer[][] {
  const single = bytes.length < 600 ? [Array.from(bytes, (byte) => Buffer.of(byte))] : [];
  return [
    ...single,
    cutAt(bytes, [random.below(bytes.length + 1)]),
    cutAt(
      bytes,
      [1, 2, 3, 4].map(() => random.below(bytes.length + 1)),
    ),
  ];
}

/** Splits the bytes at these positions. */
export function cutAt(bytes: Buffer, positions: readonly number[]): Buffer[] {
  const ordered = [0, ...positions.toSorted((a, b) => a - b), bytes.length];
  return ordered.slice(1).map((end, index) => bytes.subarray(ordered[index], end));
}

async function noteStricter(
  stricter: Map<string, { count: number; example: string }>,
  wireCase: WireCase,
  gateway: Reading,
): Promise<void> {
  const undici = await undiciReads(wireCase, [Buffer.from(wireCase.text, 'latin1')], true);
  if (!undici.isWhole) return;
  const existing = stricter.get(gateway.why);
  if (existing === undefined) stricter.set(gateway.why, { count: 1, example: `${wireCase.method} ${wireCase.text}` });
  else existing.count += 1;
}
