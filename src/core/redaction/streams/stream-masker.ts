import { Hits } from '../find/hits.ts';
import { findAll, passage, rangesOf } from '../find/text.ts';
import { pastBlanks } from '../json-traversal.ts';
import { Masker } from '../masker.ts';
import { LineEnds } from './line-ends.ts';
import { decoded, Offsets } from '../texts/strings.ts';
import { cutMark, tailOf } from '../texts/tail.ts';

/** The pieces of one streamed text: the strings at the same place of all events. */
interface Channel {
  /** Per piece: start, end, and 1 if it has escapes. */
  readonly pieces: number[];
  /** The first piece, while all others are the same. Such a channel is an id or a name, not a text in pieces. */
  same: string | undefined;
}

/**
 * Masks a stream of events. A match is found even if it is split across events: the pieces of a text are joined, and each
 * match is replaced in the first piece that it touches and removed from the others. The events themselves are kept. An
 * event is one line of JSON, as all providers write it.
 */
export class StreamMasker extends Masker {
  readonly #channels = new Map<number, Channel>();
  /** Strings of the current event. They are collected first, because the event's index may follow after them. */
  #found: number[] = [];
  #lastLine = 0;

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
    for (const channel of this.#channels.values()) this.#mask(channel, isCut);
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
    if (end > start && !this.file(start, end, isEscaped)) this.#found.push(channel, start, end, isEscaped ? 1 : 0);
  }

  /** @param indices of the choices and blocks that the event belongs to */
  #assignChannels(indices: number): void {
    const found = this.#found;
    for (let i = 0; i < found.length; i += 4) {
      this.#add(Math.imul(at(found, i), 31) ^ indices, at(found, i + 1), at(found, i + 2), at(found, i + 3));
    }
    found.length = 0;
  }

  #add(key: number, start: number, end: number, isEscaped: number): void {
    const channel = this.#channels.get(key);
    if (channel === undefined) {
      this.#channels.set(key, { pieces: [start, end, isEscaped], same: this.text.slice(start, end) });
      return;
    }
    if (channel.same !== undefined && (channel.same.length !== end - start || !this.text.startsWith(channel.same, start)))
      channel.same = undefined;
    channel.pieces.push(start, end, isEscaped);
  }

  #mask({ pieces, same }: Channel, isCut: boolean): void {
    const { text } = this;
    const isOne = same !== undefined && pieces.length > 3;
    const count = isOne ? 3 : pieces.length;
    let joined = '';
    for (let i = 0; i < count; i += 3) {
      const raw = text.slice(at(pieces, i), at(pieces, i + 1));
      joined += at(pieces, i + 2) === 1 ? decoded(raw) : raw;
    }
    const hits = new Hits();
    findAll(passage(joined, ''), this.rules, this.effort, hits);
    if (pieces.length > 3) this.rules.findKnown(joined, hits);
    if (isCut && !isOne && (pieces.length > 3 || at(pieces, 0) >= this.#lastLine)) hideTail(joined, hits);
    if (hits.count === 0) return;
    const ranges = rangesOf(hits);
    for (let i = 0; i < (isOne ? pieces.length : 3); i += 3) this.#write(isOne ? pieces.slice(i, i + 3) : pieces, ranges);
  }

  /** Writes each range into the pieces that contain it. */
  #write(pieces: readonly number[], ranges: ReturnType<typeof rangesOf>): void {
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

function hideTail(text: string, hits: Hits): void {
  const tail = tailOf(text);
  if (tail < text.length) hits.add('pattern', tail, text.length, cutMark);
}

const at = (list: readonly number[], i: number): number => list[i] as number;
