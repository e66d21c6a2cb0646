import type { JsonBytes } from '../json/bytes.ts';

type Headers = Readonly<Record<string, string>>;

/** Maximum number of remembered senders: beyond it, all are removed. */
const maxSenders = 64;
/** After this many uses, the headers are serialized again, because some of the values have changed permanently by then. */
const maxUses = 64;

/** Headers that were serialized once. */
interface WrittenHeaders {
  /** Set only if the object is immutable. */
  readonly headers: Headers | undefined;
  readonly names: readonly string[];
  readonly values: readonly string[];
  readonly json: Buffer;
  /** Start and end of each value in `json`. */
  readonly from: readonly number[];
  readonly to: readonly number[];
  uses: number;
}

const brace = 0x7b;
const comma = 0x2c;

/**
 * Serializes headers as JSON. A client or provider sends mostly the same headers with the same values each time, so the
 * unchanged ranges are copied from the previous serialization.
 */
export class HeaderSpans {
  readonly #written = new Map<string, WrittenHeaders>();

  /** @param sender identifies a source whose headers are mostly equal */
  write(out: JsonBytes, sender: string, headers: Headers): void {
    const before = this.#written.get(sender);
    if (before === undefined || !writeFromPrevious(out, before, headers)) this.#writeNew(out, sender, headers);
  }

  #writeNew(out: JsonBytes, sender: string, headers: Headers): void {
    const start = out.length;
    const [names, values, from, to]: [string[], string[], number[], number[]] = [[], [], [], []];
    out.character(brace);
    for (const name in headers) {
      const value = headers[name] as string;
      if (names.length > 0) out.character(comma);
      out.text(name);
      out.ascii(':');
      names.push(name);
      values.push(value);
      from.push(out.length - start);
      out.text(value);
      to.push(out.length - start);
    }
    out.ascii('}');
    if (this.#written.size >= maxSenders) this.#written.clear();
    const json = Buffer.from(out.copyFrom(start).buffer);
    this.#written.set(sender, { headers: Object.isFrozen(headers) ? headers : undefined, names, values, json, from, to, uses: 0 });
  }
}

/** Returns false, and writes nothing, if the names differ from those of the previous headers. */
function writeFromPrevious(out: JsonBytes, before: WrittenHeaders, headers: Headers): boolean {
  const { names, values, json, from, to } = before;
  if (before.headers === headers) {
    out.append(json);
    return true;
  }
  if (before.uses >= maxUses) return false;
  before.uses += 1;
  const start = out.length;
  let [i, copiedTo] = [0, 0];
  for (const name in headers) {
    if (names[i] !== name) {
      out.cut(start);
      return false;
    }
    const value = headers[name] as string;
    if (values[i] !== value) {
      out.appendRange(json, copiedTo, from[i] as number);
      out.text(value);
      copiedTo = to[i] as number;
    }
    i += 1;
  }
  if (i < names.length) {
    out.cut(start);
    return false;
  }
  out.appendRange(json, copiedTo, json.length);
  return true;
}
