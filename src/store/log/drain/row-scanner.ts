import { objectIn } from '../../../core/json/scan.ts';
import type { SharedFields, OwnFields } from '../../compact.ts';
import { expanded } from '../../expand.ts';
import { wholeNumber } from '../../../query/whole.ts';
import { rowOf, type StoredRow } from '../stored-row.ts';
import { Gap, Line } from './line.ts';

/** Parts of lines that are remembered: with more, all are forgotten. */
const mostKept = 500;
/** Longer parts are parsed each time. */
const longestKept = 1024;

/** Of a record that has nothing for itself, and of one that has nothing in common with others. */
const noOwnFields: OwnFields = ['', '', 0, 0, 0, null, 0, 0, 0, 0, 0, 0, 0, 0, null, null, null, 0, 0, 0, null, null, 0, null];
const noSharedFields: SharedFields = [
  ...(['', '', '', false, 0, 'whole', null, null, null, null, '', null, null, null, null, null, null, null, 'none', true] as const),
  ...(['DISABLED', 'none', null, null, 'none', null, {}, null, null, null, null, null] as const),
];

/**
 * Makes rows of the lines of records (`compact.ts`) without parsing the whole of them: what each has for itself is read
 * where it is, and what it has in common with others is parsed once and known again by its text.
 */
export class RowScanner {
  readonly #kept = new Map<string, StoredRow>();
  readonly #kind = new Gap(',"own":["');
  readonly #none = rowIn({ kind: noSharedFields, own: noOwnFields });

  /**
   * @param text the line of a record, one character a byte
   * @returns undefined where a line is not as the encoder writes it nowadays: then it is parsed
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
    // What it contains as feedback is stored too.
    if (kind.endpoint.startsWith('feedback')) return undefined;
    return joined(kind, own, more);
  }

  /** Behind the preview. */
  #more(line: Line): StoredRow | undefined {
    if (line.isOver(messagesMark)) return this.#none;
    line.over(',"more":');
    const text = line.upTo(messagesMark);
    return line.isGood ? this.#row('more', text, 0) : undefined;
  }

  /**
   * The row of a record that has this member alone; undefined where it is none.
   * @param mark how long what is behind it is
   */
  #row(name: 'kind' | 'more', text: string, mark: number): StoredRow | undefined {
    const kept = this.#kept.get(text);
    if (kept !== undefined) return kept;
    // Each of its braces must have its other half in it: a mark that was deeper in the line is found out here.
    const read = objectIn(`{"${name}":${Buffer.from(text.slice(0, text.length - mark), 'latin1').toString()}}`);
    const row = read === undefined ? undefined : rowIn({ kind: noSharedFields, own: noOwnFields, ...read });
    if (row === undefined || text.length > longestKept) return row;
    if (this.#kept.size >= mostKept) this.#kept.clear();
    // A copy: a piece of a line would keep all of it.
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

/** Goes behind the name of what follows. */
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
  // The id of the response, bytes, and the times of the attempt.
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

/** Numbers, or nulls. */
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

/** Member by member: spreading objects takes longer than all the rest. */
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
