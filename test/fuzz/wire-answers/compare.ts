import { Random } from '../random.ts';
import { anyCase, type WireCase } from './grammar.ts';
import { nodeReads, OurReader, type Reading, undiciReads } from './readers.ts';

/**
 * The law of the answer parser: what ours takes for a whole answer, undici and Node's own client take for the same answer;
 * and the pieces in which it comes change nothing.
 */
export interface ComparedCases {
  readonly cases: number;
  /** Whole answers, by our reader. */
  readonly accepted: number;
  readonly broken: readonly BrokenCase[];
  /** Whole answers by undici that ours refuses, by our reason: strictness, not a breach. */
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
  /** Looks at what ours refuses too, which costs another reading. */
  readonly countsStricter?: boolean;
  onProgress?(done: number): void;
}

export async function compareCases({ seed, cases, countsStricter = false, onProgress }: CompareOptions): Promise<ComparedCases> {
  const ours = new OurReader();
  const broken: BrokenCase[] = [];
  const stricter = new Map<string, { count: number; example: string }>();
  let accepted = 0;
  for (let n = 0; n < cases && broken.length < 20; n += 1) {
    const random = new Random(seed * 1_000_003 + n);
    const given = anyCase(random);
    const { reading, why } = await compareCase(ours, given, random);
    if (why !== undefined) broken.push({ n, why, method: given.method, text: given.text });
    if (reading.isWhole) accepted += 1;
    else if (countsStricter) await noteStricter(stricter, given, reading);
    if (n % 10_000 === 0) onProgress?.(n);
  }
  return { cases, accepted, broken, stricter };
}

/** Compares our reading of the case in one piece with those of the others, and with our own of other pieces. */
export async function compareCase(
  ours: OurReader,
  given: WireCase,
  random: Random,
): Promise<{ readonly reading: Reading; readonly why: string | undefined }> {
  const bytes = Buffer.from(given.text, 'latin1');
  const reading = ours.read(given, [bytes]);
  for (const pieces of cuts(bytes, random)) {
    const cut = ours.read(given, pieces);
    const why = differs(reading, cut);
    if (why !== undefined) return { reading, why: `cut in ${pieces.length} pieces: ${why}` };
  }
  if (!reading.isWhole) return { reading, why: undefined };
  const one = await undiciReads(given, [bytes], !reading.isKept);
  // Node looks at what follows before it has told of the answer.
  const other = await nodeReads(given, [bytes.subarray(0, bytes.length - reading.behind)]);
  return { reading, why: unlike('undici', reading, one, isExcused(given)) ?? unlike('node', reading, other, false) };
}

/**
 * Where undici is not the measure, and Node is: it gives up at `100 Continue`, which RFC 9110 15.2 has every client skip,
 * and it reads a blank behind the number of a content-length as a digit.
 */
const isExcused = ({ text }: WireCase): boolean => /^HTTP\/1\.[01] 100/m.test(text) || /^content-length:.*\d[ \t]+\r$/im.test(text);

function unlike(who: string, ours: Reading, theirs: Reading, isForgiven: boolean): string | undefined {
  if (!theirs.isWhole) return isForgiven ? undefined : `${who} refuses it: ${theirs.why}`;
  if (ours.isKept && who === 'undici' && !theirs.isKept) return 'undici would not keep the connection';
  const why = differs(ours, { ...theirs, isKept: ours.isKept });
  return why === undefined ? undefined : `${who}: ${why}`;
}

/** What differs between two readings; of what is no answer nothing else matters. */
function differs(one: Reading, other: Reading): string | undefined {
  if (one.isWhole !== other.isWhole) return `one is whole, the other is not (${one.why}${other.why})`;
  if (!one.isWhole) return undefined;
  for (const member of ['status', 'body', 'isKept'] as const)
    if (one[member] !== other[member]) return `${member}: ${JSON.stringify(one[member])} and ${JSON.stringify(other[member])}`;
  const [headers, others] = [JSON.stringify(one.headers), JSON.stringify(other.headers)];
  return headers === others ? undefined : `headers: ${headers} and ${others}`;
}

/** Byte by byte, in two, and in a few. */
function cuts(bytes: Buffer, random: Random): Buffer[][] {
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

/** The bytes in pieces that begin at these places. */
export function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ordered = [0, ...places.toSorted((a, b) => a - b), bytes.length];
  return ordered.slice(1).map((end, index) => bytes.subarray(ordered[index], end));
}

async function noteStricter(stricter: Map<string, { count: number; example: string }>, given: WireCase, ours: Reading): Promise<void> {
  const theirs = await undiciReads(given, [Buffer.from(given.text, 'latin1')], true);
  if (!theirs.isWhole) return;
  const known = stricter.get(ours.why);
  if (known === undefined) stricter.set(ours.why, { count: 1, example: `${given.method} ${given.text}` });
  else known.count += 1;
}
