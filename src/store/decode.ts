import { type BodyPart, bodyParts } from '../core/logs/reader.ts';
import { emptyRecord } from '../core/records/empty.ts';
import type { LogRecord } from '../core/records/record.ts';
import { expandLine } from './expand.ts';
import type { EndAmendment, SpoolEntry } from './frame.ts';
import { isJsonObject } from '../core/json/merge.ts';

const lineFeed = 0x0a;
const closingBrace = 0x7d;
const closingBracket = 0x5d;
export const sizesMark = ',"parts":[';
/** The start of the messages, in the short form of a line and in the form of earlier versions. */
const messagesMarks = [',"messages":[[{', ',"request":{"headers":'] as const;
const shortForm = '{"v":2,';

/** The result of decoding at an offset of a segment. */
export type Decoded =
  | { readonly state: 'whole'; readonly entry: SpoolEntry; readonly next: number }
  /** More bytes are needed. */
  | { readonly state: 'short' }
  /** Not a frame, and more bytes cannot make it one. */
  | { readonly state: 'broken' };

const short: Decoded = Object.freeze({ state: 'short' });
const broken: Decoded = Object.freeze({ state: 'broken' });

/** Decodes the frame that begins at `from`. Bodies are views into `bytes`. */
export function decodeFrame(bytes: Buffer, from: number): Decoded {
  return decodeWith(bytes, from, false);
}

/**
 * Like `decodeFrame`, but without parsing the messages of a record and the members after them, which is half of the work.
 * Rows need only the members before. The result lacks the others.
 */
export function decodeHead(bytes: Buffer, from: number): Decoded {
  return decodeWith(bytes, from, true);
}

/** Number of complete frames from the start of a segment. Reads only the sizes that the lines declare. */
export function countFrames(bytes: Buffer): number {
  for (let at = 0, count = 0; ; count += 1) {
    const lineEnd = bytes.indexOf(lineFeed, at);
    if (lineEnd < 0) return count;
    const mark = bytes[lineEnd - 2] === closingBracket ? bytes.lastIndexOf(sizesMark, lineEnd) : -1;
    const sizes = mark < at ? [] : readSizes(parseOrUndefined(bytes.toString('utf8', mark + sizesMark.length - 1, lineEnd - 1)));
    if (sizes === undefined) return count;
    at = sizes.reduce((sum, [, size]) => sum + size, lineEnd + 2);
    if (at > bytes.length) return count;
  }
}

function decodeWith(bytes: Buffer, from: number, isHead: boolean): Decoded {
  const lineEnd = bytes.indexOf(lineFeed, from);
  if (lineEnd < 0) return short;
  // The sizes are the last member of a record. They are parsed separately, so that the record needs no copy without them.
  const hasSizes = bytes[lineEnd - 1] === closingBrace && bytes[lineEnd - 2] === closingBracket;
  const mark = hasSizes ? bytes.lastIndexOf(sizesMark, lineEnd) : -1;
  const end = mark < from ? undefined : mark;
  const head = isHead && end !== undefined ? parseHead(bytes, from, end) : undefined;
  const line =
    head ?? parseOrUndefined(end === undefined ? bytes.toString('utf8', from, lineEnd) : `${bytes.toString('utf8', from, end)}}`);
  if (!isJsonObject(line)) return broken;
  const sizes = readSizes(
    end === undefined ? line['parts'] : parseOrUndefined(bytes.toString('utf8', end + sizesMark.length - 1, lineEnd - 1)),
  );
  if (sizes === undefined) return broken;
  const bodies: { [P in BodyPart]?: Buffer } = {};
  let at = lineEnd + 1;
  for (const [part, size] of sizes) {
    bodies[part] = bytes.subarray(at, at + size);
    at += size;
  }
  if (at >= bytes.length) return short;
  const entry = bytes[at] === lineFeed ? toEntry(line, bodies, head === undefined ? defaultMembers : defaultHeadMembers) : undefined;
  return entry === undefined ? broken : { state: 'whole', entry, next: at + 1 };
}

/** The members before the messages of a record; undefined if there are no messages, or no valid JSON before them. */
function parseHead(bytes: Buffer, from: number, end: number): unknown {
  const cut = bytes.indexOf(messagesMarks[bytes.toString('latin1', from, from + shortForm.length) === shortForm ? 0 : 1], from);
  // A label may contain the same text. The text before it is then not valid JSON.
  return cut < 0 || cut >= end ? undefined : parseOrUndefined(`${bytes.toString('utf8', from, cut)}}`);
}

/** Only a gateway writes these lines. A line that is not JSON was torn by a crash. */
function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toEntry(
  line: Readonly<Record<string, unknown>>,
  bodies: { readonly [P in BodyPart]?: Buffer },
  members: Readonly<Record<string, unknown>>,
): SpoolEntry | undefined {
  if (line['v'] === 2) {
    const record = expandLine(line);
    return record === undefined ? undefined : { kind: 'record', record, bodies };
  }
  if (typeof line['id'] !== 'string') return undefined;
  if (line['v'] !== undefined) return { kind: 'record', record: completeRecord(line, members), bodies };
  return isJsonObject(line['end']) ? { kind: 'amendment', id: line['id'], end: line['end'] as unknown as EndAmendment } : undefined;
}

/** Decodes a record from the line of its frame; undefined if it is not a record. */
export function decodeLine(line: string): LogRecord | undefined {
  const read = parseOrUndefined(line);
  if (!isJsonObject(read)) return undefined;
  const { parts: _sizes, ...record } = read;
  const entry = toEntry(record, {}, defaultMembers);
  return entry?.kind === 'record' ? entry.record : undefined;
}

/** Members that records of earlier versions lack, before and after the messages. */
const defaultHeadMembers: Readonly<Record<string, unknown>> = { response_id: null, notes: {}, socket: null, preview: null };
const defaultMembers: Readonly<Record<string, unknown>> = {
  ...defaultHeadMembers,
  route: emptyRecord.route,
  bodies: emptyRecord.bodies,
  redactions: emptyRecord.redactions,
};

/** Completes a record with the members that the line of a request that was not admitted omits, and those that older lines lack. */
function completeRecord(line: Readonly<Record<string, unknown>>, members: Readonly<Record<string, unknown>>): LogRecord {
  if (line['admitted'] === false) return { ...emptyRecord, ...line } as unknown as LogRecord;
  return (hasAll(line, members) ? line : { ...members, ...line, admitted: true }) as unknown as LogRecord;
}

function hasAll(line: Readonly<Record<string, unknown>>, members: Readonly<Record<string, unknown>>): boolean {
  for (const name in members) if (!(name in line)) return false;
  return true;
}

/** Undefined if it is not a list of known parts with sizes. An amendment has none. */
function readSizes(value: unknown): readonly (readonly [BodyPart, number])[] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return undefined;
  const good = value.every(
    (pair: unknown) => Array.isArray(pair) && bodyParts.includes(pair[0] as BodyPart) && Number.isSafeInteger(pair[1]) && pair[1] >= 0,
  );
  return good ? (value as [BodyPart, number][]) : undefined;
}
