import { type Member, membersAt, objectAround, valueAfterKey, valueInObject } from '../scan.ts';

/** How often the length of a text may be scanned for members. Objects that are not nested are scanned once. */
const maxScans = 8;

const quote = 0x22;

/** An object in a JSON text that was found by one of its members. Its other members are scanned on demand. */
export class FoundObject {
  /** The string of that member, as written. */
  readonly value: string;
  /** The offset of that string. */
  readonly at: number;
  readonly #scans: Scans;
  #members: readonly Member[] | undefined;

  constructor(value: string, at: number, scans: Scans) {
    this.value = value;
    this.at = at;
    this.#scans = scans;
  }

  /**
   * The members, as offsets into the text; none if this is not an object.
   *
   * @throws Error if objects are nested so that the text would be scanned again and again: no library writes that
   */
  get members(): readonly Member[] {
    return (this.#members ??= this.#scans.membersAround(this.at));
  }

  /** The first character of the value of a member; '' if there is none. Does not scan this value. */
  firstOf(key: string): string {
    return this.#scans.firstOf(this.at, key);
  }

  /** The offset after the last member. */
  get end(): number {
    return this.members.at(-1)?.end ?? this.at;
  }
}

/** Scans parts of one text, up to a limit. */
class Scans {
  readonly #text: string;
  #left: number;

  constructor(text: string) {
    this.#text = text;
    this.#left = text.length * maxScans;
  }

  firstOf(at: number, key: string): string {
    const start = objectAround(this.#text, at);
    const value = start < 0 ? -1 : valueInObject(this.#text, start, key);
    this.#count(Math.max(at, value) - Math.max(start, 0));
    return value < 0 ? '' : this.#text.charAt(value);
  }

  membersAround(at: number): readonly Member[] {
    const start = objectAround(this.#text, at);
    const members = start < 0 ? [] : membersAt(this.#text, start);
    this.#count(Math.max(at, members.at(-1)?.end ?? 0) - Math.max(start, 0));
    return members;
  }

  #count(length: number): void {
    this.#left -= length;
    if (this.#left < 0) throw new Error('The objects are nested too often.');
  }
}

/** The objects at any depth whose member `key`, a plain name, is a string, in the order of these strings. */
export function objectsWith(text: string, key: string): readonly FoundObject[] {
  const found: FoundObject[] = [];
  const scans = new Scans(text);
  const name = `"${key}"`;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
    const value = valueAfterKey(text, at + name.length);
    if (value < 0 || text.charCodeAt(value) !== quote) continue;
    found.push(new FoundObject(text.slice(value + 1, text.indexOf('"', value + 1)), value, scans));
  }
  return found;
}
