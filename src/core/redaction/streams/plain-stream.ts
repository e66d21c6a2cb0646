import { KnownTexts } from '../../memory/known-texts.ts';
import { LineEnds } from './line-ends.ts';
import { type LineString, SimilarLines, type StringListener } from './similar-lines.ts';
import { Hits } from '../find/hits.ts';
import { PatternBudget, findAll, passage } from '../find/text.ts';
import { pastBlanks } from '../json-traversal.ts';
import { type CompiledRules, Masker } from '../masker.ts';
import { decoded } from '../texts/strings.ts';

/** The text that consists of the strings at the same place of all events. */
interface CheckedChannel {
  /** All pieces, decoded. While all pieces are the same, only the first one. */
  text: string;
  /** The first piece, while all others are the same. */
  same: string | undefined;
  count: number;
}

/**
 * A fast check of an event stream, sufficient for most streams. It reads the same strings as `StreamMasker`, in the same
 * order, but parses only events that differ in shape from earlier ones, and determines only whether anything has to be
 * masked.
 */
export class PlainStream extends Masker implements StringListener<CheckedChannel> {
  readonly #channels = new Map<number, CheckedChannel>();
  readonly #similarLines: SimilarLines<CheckedChannel>;
  readonly #plain = new KnownTexts();
  /** Strings of the current event: channel without its index, start, end. */
  #found: number[] = [];

  constructor(text: string, rules: CompiledRules) {
    super(text, rules, new PatternBudget());
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
    for (const { text: content, count } of this.#channels.values()) {
      findAll(passage(content, ''), this.rules, this.effort, hits);
      if (count > 1) this.rules.findKnown(content, hits);
      if (hits.count > 0) return false;
    }
    return true;
  }

  changing(channel: CheckedChannel, raw: string): void {
    if (channel.same === raw) channel.count += 1;
    else this.#differs(channel, raw);
  }

  constant(channel: CheckedChannel, raw: string): void {
    if (channel.same === undefined) this.#differs(channel, raw);
    else channel.count += 1;
  }

  /** From here on, all pieces are joined. */
  #differs(channel: CheckedChannel, raw: string): void {
    if (channel.same !== undefined) channel.text = channel.text.repeat(channel.count);
    channel.same = undefined;
    channel.count += 1;
    channel.text += decoded(raw);
  }

  #line(start: number, end: number): void {
    const { text, traversal } = this;
    if (this.#similarLines.isKnown(start, end, this)) return;
    const at = pastBlanks(text, text.startsWith('data:', start) ? start + 5 : start, end);
    if (at >= end) return;
    const first = text.charCodeAt(at);
    if (first === 0x7b || first === 0x5b || first === 0x22) {
      this.#found = [];
      traversal.run(text, at, end, this);
      this.#similarLines.learn(start, end, this.#assignChannels(traversal.indices));
      return;
    }
    const line = text.slice(at, end);
    if (this.#plain.has(line)) return;
    super.string(at, end, false, 0, 0);
    if (this.edits.isEmpty) this.#plain.add(line);
  }

  override string(start: number, end: number, isEscaped: boolean, channel: number): void {
    if (end > start && !this.file(start, end, isEscaped)) this.#found.push(channel, start, end);
  }

  /** @param indices of the choices and blocks that the event belongs to */
  #assignChannels(indices: number): readonly LineString<CheckedChannel>[] {
    const found = this.#found;
    const strings: LineString<CheckedChannel>[] = [];
    for (let i = 0; i < found.length; i += 3) {
      const key = Math.imul(found[i] as number, 31) ^ indices;
      const start = found[i + 1] as number;
      const end = found[i + 2] as number;
      const raw = this.text.slice(start, end);
      let channel = this.#channels.get(key);
      if (channel !== undefined) this.changing(channel, raw);
      else this.#channels.set(key, (channel = { text: decoded(raw), same: raw, count: 1 }));
      strings.push({ start, end, channel });
    }
    return strings;
  }
}
