import type { JsonBytes } from '../json/bytes.ts';

/** Names that are remembered: with more, all are forgotten. */
const mostNames = 500;
/** Characters of a name or a value that is. */
const longest = 256;
/** Objects that are known again. */
const mostObjects = 16;

/** A header as it was written last. */
interface Member {
  /** With the comma before it and the colon behind it. */
  readonly name: Uint8Array;
  value: string;
  /** The whole of it: made when a value comes again. */
  span: Uint8Array | undefined;
}

const comma = 0x2c;
const brace = 0x7b;

/** Writes headers as JSON. Clients and providers send the same few, with the same values but for some. */
export class HeaderSpans {
  readonly #members = new Map<string, Member>();
  #objects = new Map<object, Uint8Array>();

  write(out: JsonBytes, headers: Readonly<Record<string, string>>): void {
    const known = this.#objects.get(headers);
    if (known !== undefined) {
      out.span(known);
      return;
    }
    const from = out.length;
    for (const name in headers) this.#member(out, name, headers[name] as string);
    if (out.length === from) out.character(brace);
    else out.put(from, brace);
    out.ascii('}');
    if (Object.isFrozen(headers)) this.#keep(headers, out.since(from));
  }

  /** The oldest make room. */
  #keep(headers: object, span: Uint8Array): void {
    if (this.#objects.size >= mostObjects) this.#objects = new Map([...this.#objects].slice(mostObjects / 2));
    this.#objects.set(headers, span);
  }

  #member(out: JsonBytes, name: string, value: string): void {
    const known = this.#members.get(name);
    if (known === undefined) {
      this.#first(out, name, value);
      return;
    }
    if (known.value === value) {
      out.span((known.span ??= spanOf(known)));
      return;
    }
    out.span(known.name);
    out.text(value);
    if (value.length > longest) return;
    known.value = value;
    known.span = undefined;
  }

  #first(out: JsonBytes, name: string, value: string): void {
    const from = out.length;
    out.character(comma);
    out.text(name);
    out.ascii(':');
    const span = out.since(from);
    out.text(value);
    if (value.length > longest || name.length > longest) return;
    if (this.#members.size >= mostNames) this.#members.clear();
    this.#members.set(name, { name: span, value, span: undefined });
  }
}

const spanOf = ({ name, value }: Member): Uint8Array => Buffer.concat([name, Buffer.from(JSON.stringify(value))]);
