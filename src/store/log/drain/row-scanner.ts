import { objectIn } from '../../../core/json/scan.ts';
import type { SharedFields, OwnFields } from '../../compact.ts';
import { expanded } from '../../expand.ts';
import { wholeNumber } from '../../../query/whole.ts';
import { rowOf, type StoredRow } from '../stored-row.ts';
import { Gap, Line } from './line.ts';

/** Maximum cached parts of lines. When it is reached, the cache is cleared. */
const mostKept = 500;
/** Maximum length of a cached part. */
const longestKept = 1024;

/** Default values for a record without `own`, and for one without `kind`. */
const noOwnFields: OwnFields = ['', '', 0, 0, 0, null, 0, 0, 0, 0, 0, 0, 0, 0, null, null, null, 0, 0, 0, null, null, 0, null];
const noSharedFields: SharedFields = [
  ...(['', '', '', false, 0, 'whole', null, null, null, null, '', null, null, null, null, null, null, null, 'none', true] as const),
  ...(['DISABLED', 'none', null, null, 'none', null, {}, null, null, null, null, null] as const),
];

/**
 * Makes rows from the lines of records (`compact.ts`) without parsing them completely: the values of the record itself
 * are read directly, and the parts that many records share are parsed once and then recognized by their text.
 */
export class RowScanner {
  readonly #kept = new Map<string, StoredRow>();
  readonly #kind = new Gap(',"own":["');
  readonly #none = rowIn({ kind: noSharedFields, own: noOwnFields });

  /**
   * @param text the line of a record, one character per byte
   * @returns undefined if the line is not in the current form of the encoder; it must then be parsed
   */
  scan(text: string): StoredRow | undefined {
    const line = new Line(text);
    line.over('{"v":2,"kind":');
    const kindText = line.until(this.#kind);
    if (!line.isGood) return undefined;
    const kind = this.#row('kind', kindText, this.#kind.mark.length);
    const own = ownIn(line);
    overText(line);
    const more = this.#more(line);
    if (!line.isGood || kind === undefined || more === undefined) return undefined;
    // Feedback in the record has to be stored too.
    if (kind.endpoint.startsWith('feedback')) return undefined;
    return joined(kind, own, more);
  }

  /** Reads the part after the preview. */
  #more(line: Line): StoredRow | undefined {
    if (line.isOver(messagesMark)) return this.#none;
    line.over(',"more":');
    const text = line.upTo(messagesMark);
    return line.isGood ? this.#row('more', text, 0) : undefined;
  }

  /**
   * The row of a record that has only this member; undefined if it is not valid.
   *
   * @param mark length of the mark after the member
   */
  #row(name: 'kind' | 'more', text: string, mark: number): StoredRow | undefined {
    const kept = this.#kept.get(text);
    if (kept !== undefined) return kept;
    // Parsing also detects a mark that was found in a nested value, because the braces are then unbalanced.
    const read = objectIn(`{"${name}":${Buffer.from(text.slice(0, text.length - mark), 'latin1').toString()}}`);
    const row = read === undefined ? undefined : rowIn({ kind: noSharedFields, own: noOwnFields, ...read });
    if (row === undefined || text.length > longestKept) return row;
    if (this.#kept.size >= mostKept) this.#kept.clear();
    // Copy it: a slice would keep the whole line in memory.
    this.#kept.set(Buffer.from(text, 'latin1').toString('latin1'), row);
    return row;
  }
}

const messagesMark = ',"messages":[[{';

function rowIn(line: Readonly<Record<string, unknown>>): StoredRow | undefined {
  const record = expanded(line);
  return record === undefined || !Array.isArray(record.attempts) ? undefined : rowOf(record);
}

type OwnRow = Pick<
  StoredRow,
  'id' | 'trace' | 'at' | 'latency' | 'ttft' | 'overhead' | 'tokens_in' | 'tokens_out' | 'tokens_cached' | 'cost' | 'finish' | 'upstream_id'
>;

/** Reads `own` and moves after the name of the following member. */
function ownIn(line: Line): OwnRow {
  const id = line.plainText();
  line.over(',"');
  const trace = line.plainText();
  const at = number(line);
  skip(line, 1);
  const latency = number(line);
  const ttft = line.isOver(',null') ? null : number(line);
  const overhead = number(line);
  const [tokensIn, tokensOut, cached] = [number(line), number(line), number(line)];
  skip(line, 4);
  const cost = textOrNull(line);
  const finish = textOrNull(line);
  // Skips the id of the response, the byte counts, and the times of the attempt.
  textOrNull(line);
  skip(line, 6);
  const upstreamId = textOrNull(line);
  line.over('],"preview":');
  return {
    id,
    trace,
    at,
    latency,
    ttft,
    overhead,
    tokens_in: wholeNumber(tokensIn),
    tokens_out: wholeNumber(tokensOut),
    tokens_cached: wholeNumber(cached),
    cost,
    finish,
    upstream_id: upstreamId,
  };
}

function number(line: Line): number {
  line.over(',');
  return line.number();
}

/** Skips numbers or nulls. */
function skip(line: Line, count: number): void {
  for (let i = 0; i < count; i += 1) {
    line.over(',');
    line.toComma();
  }
}

function textOrNull(line: Line): string | null {
  if (line.isOver(',null')) return null;
  line.over(',"');
  return line.plainText();
}

function overText(line: Line): void {
  if (line.isOver('null')) return;
  line.over('"');
  line.overText();
}

/** Assigns each member, because spreading objects takes longer than everything else. */
function joined(kind: StoredRow, own: OwnRow, more: StoredRow): StoredRow {
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
