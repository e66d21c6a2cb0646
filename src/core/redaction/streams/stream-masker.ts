import { Hits } from '../find/hits.ts';
import { findAll, passage, type PatternBudget, type Range, rangesOf } from '../find/text.ts';
import { longestName, pastBlanks } from '../json-traversal.ts';
import { type CompiledRules, Masker } from '../masker.ts';
import { LineEnds } from './line-ends.ts';
import { isSearchedAlone, PieceSearch } from './pieces.ts';
import { decoded, Offsets } from '../texts/strings.ts';
import { cutMark, tailOf } from '../texts/tail.ts';

/** The pieces of one streamed text: the strings at the same place of all events. */
interface Channel {
  /** Per piece: start, end, and 1 if it has escapes. */
  readonly pieces: number[];
  /** The first piece, while all others are the same. Such a channel is an id or a name, not a text in pieces. */
  same: string | undefined;
  /** Name of the member. */
  readonly name: string;
  /** The same for channels that differ only in the indices of their events. */
  readonly place: number;
}

/**
 * Masks a stream of events. A match is found even if it is split across events: the pieces of a text are joined, and each
 * match is replaced in the first piece that it touches and removed from the others. The events themselves are kept. An
 * event is one line of JSON, as all providers write it.
 */
export class StreamMasker extends Masker {
  readonly #channels = new Map<number, Channel>();
  readonly #pieces = new PieceSearch(this.rules, this.effort);
  /** Strings of the current event. They are collected first, because the event's index may follow after them. */
  #found: number[] = [];
  #lastLine = 0;
  readonly #areSeparate: boolean;

  /** @param areSeparate true if the events may be texts of their own: each is searched on its own first */
  constructor(text: string, rules: CompiledRules, effort: PatternBudget, areSeparate = false) {
    super(text, rules, effort);
    this.#areSeparate = areSeparate;
  }

  /** @param isCut true if the stream continued after the last event */
  run(isCut: boolean): void {
    const { text } = this;
    const ends = new LineEnds(text);
    for (let at = ends.start; at < text.length; ) {
      const end = ends.from(at);
      this.#line(at, end);
      at = ends.startOfNextLine(end);
    }
    this.#maskAll(isCut);
  }

  /** Like `run`, for events that are not lines. @param events start and end of each, alternating */
  runOver(events: readonly number[], isCut: boolean): void {
    for (let i = 0; i + 1 < events.length; i += 2) this.#line(at(events, i), at(events, i + 1));
    this.#maskAll(isCut);
  }

  #maskAll(isCut: boolean): void {
    for (const channels of Map.groupBy(this.#channels.values(), ({ place }) => place).values())
      for (const channel of isOneText(channels) ? [joinedChannel(channels)] : channels) this.#mask(channel, isCut);
  }

  #line(start: number, end: number): void {
    const { text, traversal } = this;
    const at = pastBlanks(text, text.startsWith('data:', start) ? start + 5 : start, end);
    if (at >= end) return;
    const first = text.charCodeAt(at);
    this.#lastLine = start;
    if (first === 0x7b || first === 0x5b || first === 0x22) {
      traversal.run(text, at, end, this);
      this.#assignChannels(traversal.indices);
      // Text that is not JSON is searched line by line.
    } else super.string(at, end, false, 0, 0);
  }

  override string(start: number, end: number, isEscaped: boolean, channel: number): void {
    if (end === start || this.replaced(start, end, isEscaped)) return;
    this.#found.push(channel, start, end, isEscaped ? 1 : 0, this.traversal.nameStart, this.traversal.nameEnd);
  }

  /** @param indices of the choices and blocks that the event belongs to */
  #assignChannels(indices: number): void {
    const found = this.#found;
    for (let i = 0; i < found.length; i += 6) this.#add(Math.imul(at(found, i), 31) ^ indices, i);
    found.length = 0;
  }

  /** @param i place of the string in `#found` */
  #add(key: number, i: number): void {
    const found = this.#found;
    const [start, end] = [at(found, i + 1), at(found, i + 2)];
    const channel = this.#channels.get(key);
    if (channel === undefined) {
      const name = this.text.slice(Math.max(at(found, i + 4), at(found, i + 5) - longestName), at(found, i + 5));
      const same = this.text.slice(start, end);
      this.#channels.set(key, { pieces: [start, end, at(found, i + 3)], same, name, place: at(found, i) });
      return;
    }
    if (channel.same !== undefined && (channel.same.length !== end - start || !this.text.startsWith(channel.same, start)))
      channel.same = undefined;
    channel.pieces.push(start, end, at(found, i + 3));
  }

  #mask({ pieces, same, name }: Channel, isCut: boolean): void {
    const isOne = same !== undefined;
    const texts: string[] = [];
    for (let i = 0; i < (isOne ? 3 : pieces.length); i += 3) {
      const raw = this.text.slice(at(pieces, i), at(pieces, i + 1));
      texts.push(at(pieces, i + 2) === 1 ? decoded(raw) : raw);
    }
    const joined = texts.join('');
    const hits = new Hits();
    if (!isOne) this.#findInPieces(texts, name, hits);
    const found = this.#areSeparate ? new Hits() : hits;
    findAll(passage(joined, isOne ? name : ''), this.rules, this.effort, found);
    if (pieces.length > 3) this.rules.findKnown(joined, found);
    if (found !== hits) addOthers(rangesOf(found), hits);
    if (isCut && (!isOne || (pieces.length === 3 && at(pieces, 0) >= this.#lastLine))) hideTail(joined, hits);
    if (hits.count === 0) return;
    const ranges = rangesOf(hits);
    for (let i = 0; i < (isOne ? pieces.length : 3); i += 3) this.#write(isOne ? pieces.slice(i, i + 3) : pieces, ranges);
  }

  #findInPieces(texts: readonly string[], name: string, hits: Hits): void {
    let offset = 0;
    for (let i = 0; i < texts.length; i += 1) {
      const text = texts[i] as string;
      if (this.#areSeparate || isSearchedAlone(text, name, texts[i - 1] ?? '', texts[i + 1] ?? ''))
        this.#pieces.find(text, name, offset, hits);
      offset += text.length;
    }
  }

  /** Writes each range into the pieces that contain it. */
  #write(pieces: readonly number[], ranges: readonly Range[]): void {
    let piece = 0;
    let before = 0;
    let size = this.#sizeOf(pieces, 0);
    let offsets = this.#offsetsOf(pieces, 0);
    const next = (): void => {
      before += size;
      piece += 3;
      size = this.#sizeOf(pieces, piece);
      offsets = this.#offsetsOf(pieces, piece);
    };
    for (const { from, to, kind, words } of ranges) {
      while (piece < pieces.length && from >= before + size) next();
      let written: string | undefined = words;
      for (let done = from; done < to && piece < pieces.length; ) {
        const stop = Math.min(to, before + size);
        this.edits.add(offsets(done - before), offsets(stop - before), written ?? '', written === undefined ? undefined : kind);
        written = undefined;
        done = stop;
        if (done < to) next();
      }
    }
  }

  #sizeOf(pieces: readonly number[], i: number): number {
    if (i >= pieces.length) return 0;
    const [start, end] = [at(pieces, i), at(pieces, i + 1)];
    return at(pieces, i + 2) === 1 ? decoded(this.text.slice(start, end)).length : end - start;
  }

  #offsetsOf(pieces: readonly number[], i: number): (character: number) => number {
    const start = pieces[i] ?? 0;
    if (pieces[i + 2] !== 1) return (character) => start + character;
    const offsets = new Offsets(this.text, start);
    return (character) => offsets.of(character);
  }
}

/** True if one text is split over events each of which has an index of its own. */
const isOneText = (channels: readonly Channel[]): boolean =>
  channels.length > 1 && channels.every(({ pieces }) => pieces.length === 3) && channels.some(({ same }) => same !== channels[0]?.same);

const joinedChannel = (channels: readonly Channel[]): Channel => ({
  ...(channels[0] as Channel),
  pieces: channels.flatMap(({ pieces }) => pieces),
  same: undefined,
});

/** Adds the ranges that overlap none of those found before: a value at the end of a text does not extend into the next text. */
function addOthers(ranges: readonly Range[], hits: Hits): void {
  const before = rangesOf(hits);
  let i = 0;
  for (const { from, to, kind, words } of ranges) {
    while (i < before.length && (before[i] as Range).to <= from) i += 1;
    if (i === before.length || (before[i] as Range).from >= to) hits.add(kind, from, to, words);
  }
}

function hideTail(text: string, hits: Hits): void {
  const tail = tailOf(text);
  if (tail < text.length) hits.add('pattern', tail, text.length, cutMark);
}

const at = (list: readonly number[], i: number): number => list[i] as number;
