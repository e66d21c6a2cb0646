import type { Later } from '../../core/async/later.ts';
import type { Receiver, Source } from '../../transport/outbound/upstream.ts';
import type { Played } from './reply.ts';

/** After this many milliseconds without an end, a response counts as broken. Every timeout is shorter. */
const neverMs = 25 * 3_600_000;

/** Plays a scripted response to the receiver of a real one, in simulated time. */
export class Playback implements Source {
  readonly #played: Played;
  readonly #receiver: Receiver;
  readonly #later: Later;
  #at = 0;
  #isOver = false;
  #isPaused = false;
  #cancel: (() => void) | undefined;

  constructor(played: Played, receiver: Receiver, later: Later) {
    this.#played = played;
    this.#receiver = receiver;
    this.#later = later;
  }

  /** The request was read. */
  begin(): void {
    const played = this.#played;
    if (played === 'timeout') this.#hang();
    else if (played === 'reset') this.#wait(0, () => this.#reset());
    else
      this.#wait(played.delayMs ?? 0, () => {
        if (played.breaks === 'refused') {
          this.#reset();
          return;
        }
        this.#receiver.head(played.status, played.headers);
        this.#next();
      });
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    if (this.#cancel === undefined) this.#next();
  }

  abort(): void {
    if (this.#isOver) return;
    this.#cancel?.();
    this.#isOver = true;
    this.#receiver.failed(new Error('aborted'));
  }

  #next(): void {
    const played = this.#played;
    while (typeof played === 'object' && !this.#isOver && !this.#isPaused && this.#cancel === undefined) {
      const piece = played.pieces[this.#at];
      if (piece === undefined) {
        this.#end(played.breaks);
        return;
      }
      this.#at += 1;
      const give = (): void =>
        this.#receiver.data(typeof piece.text === 'string' ? Buffer.from(piece.text, 'utf8') : Buffer.from(piece.text));
      if ((piece.afterMs ?? 0) === 0) give();
      else
        this.#wait(piece.afterMs ?? 0, () => {
          give();
          this.#next();
        });
    }
  }

  #end(breaks: 'refused' | 'reset' | 'hang' | undefined): void {
    if (breaks === 'hang') this.#hang();
    else if (breaks !== undefined) this.#reset();
    else {
      this.#isOver = true;
      this.#receiver.finished();
    }
  }

  #hang(): void {
    this.#wait(neverMs, () => this.#reset());
  }

  #reset(): void {
    this.#isOver = true;
    this.#receiver.failed(Object.assign(new Error('scripted: the connection was reset'), { code: 'ECONNRESET' }));
  }

  #wait(ms: number, then: () => void): void {
    if (this.#isOver) return;
    this.#cancel = this.#later(ms, () => {
      this.#cancel = undefined;
      if (!this.#isOver) then();
    });
  }
}
