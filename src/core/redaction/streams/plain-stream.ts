import { KnownTexts } from '../../memory/known-texts.ts';
import { LineEnds } from './line-ends.ts';
import { isSearchedAlone, PieceSearch, shortestNumber } from './pieces.ts';
import { type LineString, SimilarLines, type StringListener } from './similar-lines.ts';
import { Hits } from '../find/hits.ts';
import { PatternBudget, findAll, passage } from '../find/text.ts';
import { longestName, pastBlanks } from '../json-traversal.ts';
import { isDigit } from '../find/classes.ts';
import { dependsOnValue, isValueName, namesSecretList } from '../names/member-names.ts';
import { type CompiledRules, Masker } from '../masker.ts';
import { decoded } from '../texts/strings.ts';

/** The text that consists of the strings at the same place of all events. */
class CheckedChannel {
  /** All pieces, decoded. While all pieces are the same, only the first one. */
  text: string;
  /** The first piece, while all others are the same. */
  same: string | undefined;
  count = 1;
  /** Pieces that must be searched on their own. */
  alone: Set<string> | undefined;
  readonly name: string;
  /** The same for channels that differ only in the indices of their events. */
  readonly place: number;
  /** Minimum length of such a piece. */
  readonly #shortest: number;
  #before = '';
  #last: string;

  constructor(raw: string, name: string, place: number, areSeparate: boolean) {
    this.#shortest = areSeparate ? 0 : shortestNumber;
    this.text = decoded(raw);
    this.same = raw;
    this.name = name;
    this.place = place;
    this.#last = this.text;
  }

  add(raw: string): void {
    if (raw === this.same) {
      this.count += 1;
      return;
    }
    // From here on, all pieces are joined.
    if (this.same !== undefined) this.#join();
    const piece = decoded(raw);
    if (this.#last.length >= this.#shortest) this.#checkLast(piece);
    this.#before = this.#last;
    this.#last = piece;
    this.count += 1;
    this.text += piece;
  }

  /** Must be called after the last piece. */
  end(): void {
    if (this.same === undefined) this.#checkLast('');
  }

  #join(): void {
    if (this.count > 1) this.#before = this.text;
    this.text = this.text.repeat(this.count);
    this.same = undefined;
  }

  #checkLast(next: string): void {
    if (this.#shortest === 0 || isSearchedAlone(this.#last, this.name, this.#before, next)) (this.alone ??= new Set()).add(this.#last);
  }
}

/** A value of a pair, a list of secrets, or a member whose value decides. */
const mayBeInPair = (name: string, first: number): boolean =>
  isValueName(name) || dependsOnValue(name) || ((first === 0x5b || isDigit(first)) && namesSecretList(name));

const none: readonly string[] = Object.freeze([]);

/**
 * A fast check of an event stream, sufficient for most streams. It reads the same strings as `StreamMasker`, in the same
 * order, but parses only events that differ in shape from earlier ones, and determines only whether anything has to be
 * masked.
 */
export class PlainStream extends Masker implements StringListener<CheckedChannel> {
  readonly #channels = new Map<number, CheckedChannel>();
  readonly #similarLines: SimilarLines<CheckedChannel>;
  readonly #plain = new KnownTexts();
  #hasPairs = false;
  #indices: number | undefined;
  /** True if not all events have the same indices. */
  #hasIndices = false;
  readonly #pieces = new PieceSearch(this.rules, this.effort);
  /** Strings of the current event: channel without its index, start, end. */
  #found: number[] = [];

  readonly #areSeparate: boolean;

  /** @param areSeparate true if the lines may be texts of their own */
  constructor(text: string, rules: CompiledRules, areSeparate: boolean) {
    super(text, rules, new PatternBudget());
    this.#areSeparate = areSeparate;
    this.#similarLines = new SimilarLines(text);
  }

  /** True if nothing in the stream has to be masked. */
  run(): boolean {
    const { text } = this;
    const ends = new LineEnds(text);
    for (let at = ends.start; at < text.length && this.edits.isEmpty; ) {
      const end = ends.from(at);
      if (end > at) this.#line(at, end);
      at = ends.startOfNextLine(end);
    }
    if (!this.edits.isEmpty) return false;
    const hits = new Hits();
    for (const channel of this.#channels.values()) {
      channel.end();
      const { text, same, count, name } = channel;
      findAll(passage(text, same === undefined ? '' : name), this.rules, this.effort, hits);
      if (count > 1) this.rules.findKnown(text, hits);
      for (const piece of channel.alone ?? none) this.#pieces.find(piece, name, 0, hits);
      if (hits.count > 0) return false;
    }
    return !this.#hasIndices || this.#areClean();
  }

  /** Searches texts that are split over events each of which has an index of its own. */
  #areClean(): boolean {
    const hits = new Hits();
    for (const group of Map.groupBy(this.#channels.values(), ({ place }) => place).values()) {
      if (group.length === 1 || group.some(({ count }) => count > 1)) continue;
      const joined = group.map(({ text }) => text).join('');
      findAll(passage(joined, ''), this.rules, this.effort, hits);
      this.rules.findKnown(joined, hits);
    }
    return hits.count === 0;
  }

  changing(channel: CheckedChannel, raw: string): void {
    channel.add(raw);
  }

  constant(channel: CheckedChannel, raw: string): void {
    if (channel.same === undefined) channel.add(raw);
    else channel.count += 1;
  }

  #line(start: number, end: number): void {
    const { text, traversal } = this;
    if (this.#similarLines.isKnown(start, end, this)) return;
    const at = pastBlanks(text, text.startsWith('data:', start) ? start + 5 : start, end);
    if (at >= end) return;
    const first = text.charCodeAt(at);
    if (first === 0x7b || first === 0x5b || first === 0x22) {
      this.#found = [];
      this.#hasPairs = text.slice(at, end).includes('[[');
      traversal.run(text, at, end, this);
      const strings = this.#assignChannels(traversal.indices);
      if (!this.#hasPairs) this.#similarLines.learn(start, end, strings);
      return;
    }
    const line = text.slice(at, end);
    if (this.#plain.has(line)) return;
    super.string(at, end, false, 0, 0);
    if (this.edits.isEmpty) this.#plain.add(line);
  }

  /** Whether a value is masked may depend on other strings of the line: a similar line may have other ones. */
  override skips(path: number, name: number, first: number): boolean {
    const { text, traversal } = this;
    this.#hasPairs ||= name !== 0 && first !== 0x7b && traversal.mayNameBeMasked(text) && mayBeInPair(traversal.nameIn(text), first);
    return super.skips(path, name, first);
  }

  override string(start: number, end: number, isEscaped: boolean, channel: number): void {
    if (end > start && !this.replaced(start, end, isEscaped))
      this.#found.push(channel, start, end, this.traversal.nameStart, this.traversal.nameEnd);
  }

  /** @param indices of the choices and blocks that the event belongs to */
  #assignChannels(indices: number): readonly LineString<CheckedChannel>[] {
    this.#hasIndices ||= this.#indices !== undefined && indices !== this.#indices;
    this.#indices = indices;
    const found = this.#found;
    const strings: LineString<CheckedChannel>[] = [];
    for (let i = 0; i < found.length; i += 5) {
      const key = Math.imul(found[i] as number, 31) ^ indices;
      const start = found[i + 1] as number;
      const end = found[i + 2] as number;
      const raw = this.text.slice(start, end);
      let channel = this.#channels.get(key);
      if (channel !== undefined) this.changing(channel, raw);
      else {
        const name = this.text.slice(Math.max(found[i + 3] as number, (found[i + 4] as number) - longestName), found[i + 4]);
        this.#channels.set(key, (channel = new CheckedChannel(raw, name, found[i] as number, this.#areSeparate)));
      }
      strings.push({ start, end, channel });
    }
    return strings;
  }
}
