import { tryParseObject } from '../../../core/json/scan.ts';
import type { SharedFields, RequestFields } from '../../compact.ts';
import { expandLine } from '../../expand.ts';
import { boundedCount } from '../../../query/bounded-count.ts';
import { rowOf, type StoredRow } from '../stored-row.ts';
import { CachedPart, LineParser } from './line-parser.ts';

/** Maximum cached parts of lines. When it is reached, the cache is cleared. */
const maxCachedRows = 500;
/** Maximum length of a cached part. */
const maxCachedLength = 1024;

/** Default values for a record without `own`, and for one without `kind`. */
const emptyRequestFields: RequestFields = ['', '', 0, 0, 0, null, 0, 0, 0, 0, 0, 0, 0, 0, null, null, null, 0, 0, 0, null, null, 0, null];
const emptySharedFields: SharedFields = [
  ...(['', '', '', false, 0, 'whole', null, null, null, null, '', null, null, null, null, null, null, null, 'none', true] as const),
  ...(['DISABLED', 'none', null, null, 'none', null, {}, null, null, null, null, null] as const),
];

/**
 * Makes rows from the lines of records (`compact.ts`) without parsing them completely: the values of the record itself
 * are read directly, and the parts that many records share are parsed once and then recognized by their text.
 */
export class RowScanner {
  readonly #cache = new Map<string, StoredRow>();
  readonly #kind = new CachedPart(',"own":["');
  readonly #none = rowIn({ kind: emptySharedFields, own: emptyRequestFields });

  /**
   * @param text the line of a record, one character per byte
   * @returns undefined if the line is not in the current form of the encoder; it must then be parsed
   */
  scan(text: string): StoredRow | undefined {
    const line = new LineParser(text);
    line.expect('{"v":2,"kind":');
    const kindText = line.readCached(this.#kind);
    if (!line.isValid) return undefined;
    const kind = this.#rowOfMember('kind', kindText, this.#kind.mark.length);
    const own = readRequestFields(line);
    skipTextOrNull(line);
    const more = this.#readRareMembers(line);
    if (!line.isValid || kind === undefined || more === undefined) return undefined;
    // Feedback in the record has to be stored too.
    if (kind.endpoint.startsWith('feedback')) return undefined;
    return combineRows(kind, own, more);
  }

  /** Reads the part after the preview. */
  #readRareMembers(line: LineParser): StoredRow | undefined {
    if (line.accept(messagesMark)) return this.#none;
    line.expect(',"more":');
    const text = line.readUntil(messagesMark);
    return line.isValid ? this.#rowOfMember('more', text, 0) : undefined;
  }

  /**
   * The row of a record that has only this member; undefined if it is not valid.
   *
   * @param mark length of the mark after the member
   */
  #rowOfMember(name: 'kind' | 'more', text: string, mark: number): StoredRow | undefined {
    const cached = this.#cache.get(text);
    if (cached !== undefined) return cached;
    // Parsing also detects a mark that was found in a nested value, because the braces are then unbalanced.
    const read = tryParseObject(`{"${name}":${Buffer.from(text.slice(0, text.length - mark), 'latin1').toString()}}`);
    const row = read === undefined ? undefined : rowIn({ kind: emptySharedFields, own: emptyRequestFields, ...read });
    if (row === undefined || text.length > maxCachedLength) return row;
    if (this.#cache.size >= maxCachedRows) this.#cache.clear();
    // Copy it: a slice would keep the whole line in memory.
    this.#cache.set(Buffer.from(text, 'latin1').toString('latin1'), row);
    return row;
  }
}

const messagesMark = ',"messages":[[{';

function rowIn(line: Readonly<Record<string, unknown>>): StoredRow | undefined {
  const record = expandLine(line);
  return record === undefined || !Array.isArray(record.attempts) ? undefined : rowOf(record);
}

type RequestRow = Pick<
  StoredRow,
  'id' | 'trace' | 'at' | 'latency' | 'ttft' | 'overhead' | 'tokens_in' | 'tokens_out' | 'tokens_cached' | 'cost' | 'finish' | 'upstream_id'
>;

/** Reads `own` and moves after the name of the following member. */
function readRequestFields(line: LineParser): RequestRow {
  const id = line.readPlainText();
  line.expect(',"');
  const trace = line.readPlainText();
  const at = number(line);
  skip(line, 1);
  const latency = number(line);
  const ttft = line.accept(',null') ? null : number(line);
  const overhead = number(line);
  const [tokensIn, tokensOut, cached] = [number(line), number(line), number(line)];
  skip(line, 4);
  const cost = readTextOrNull(line);
  const finish = readTextOrNull(line);
  // Skips the id of the response, the byte counts, and the times of the attempt.
  readTextOrNull(line);
  skip(line, 6);
  const upstreamId = readTextOrNull(line);
  line.expect('],"preview":');
  return {
    id,
    trace,
    at,
    latency,
    ttft,
    overhead,
    tokens_in: boundedCount(tokensIn),
    tokens_out: boundedCount(tokensOut),
    tokens_cached: boundedCount(cached),
    cost,
    finish,
    upstream_id: upstreamId,
  };
}

function number(line: LineParser): number {
  line.expect(',');
  return line.readNumber();
}

/** Skips numbers or nulls. */
function skip(line: LineParser, count: number): void {
  for (let i = 0; i < count; i += 1) {
    line.expect(',');
    line.skipToComma();
  }
}

function readTextOrNull(line: LineParser): string | null {
  if (line.accept(',null')) return null;
  line.expect(',"');
  return line.readPlainText();
}

function skipTextOrNull(line: LineParser): void {
  if (line.accept('null')) return;
  line.expect('"');
  line.skipText();
}

/** Assigns each member, because spreading objects takes longer than everything else. */
function combineRows(kind: StoredRow, own: RequestRow, more: StoredRow): StoredRow {
  const several = more.attempts > 0;
  return {
    id: own.id,
    at: own.at,
    trace: own.trace,
    span: more.span,
    span_name: more.span_name,
    status: kind.status,
    end: kind.end,
    error: more.error,
    config: kind.config,
    provider: kind.provider,
    model: kind.model,
    key: kind.key,
    key_id: kind.key_id,
    virtual_key: kind.virtual_key,
    endpoint: kind.endpoint,
    stream: kind.stream,
    finish: own.finish ?? more.finish,
    cache: kind.cache,
    fallback: more.fallback,
    attempts: several ? more.attempts : kind.attempts,
    retries: more.retries,
    reason: more.reason,
    latency: own.latency,
    ttft: kind.stream ? own.ttft : null,
    overhead: own.overhead,
    tokens_in: own.tokens_in,
    tokens_out: own.tokens_out,
    tokens_cached: own.tokens_cached,
    cost: own.cost,
    guardrail: more.guardrail,
    prompt: more.prompt,
    revision: kind.revision,
    upstream_id: several ? more.upstream_id : own.upstream_id,
    agent: kind.agent,
    meta: more.meta,
    label: more.label,
  };
}
