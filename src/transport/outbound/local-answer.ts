import type { LocalAnswer, LocalPiece } from '../../core/provider.ts';
import type { Crashable } from './guarded.ts';
import type { Source } from './upstream.ts';

/** Plays an answer that a provider made itself, through the same receiver as one that came over a socket. */
export function playLocal(answer: LocalAnswer, receiver: Crashable): void {
  const player = new Player(answer, receiver);
  receiver.connected(player);
  receiver.sent();
  player.begin();
}

class Player implements Source {
  readonly #answer: LocalAnswer;
  readonly #receiver: Crashable;
  #timer: NodeJS.Timeout | undefined;
  #at = 0;
  #paused = false;
  #over = false;

  constructor(answer: LocalAnswer, receiver: Crashable) {
    this.#answer = answer;
    this.#receiver = receiver;
  }

  begin(): void {
    this.#later(this.#answer.delayMs, () => {
      if (this.#answer.breaks === 'refused') {
        this.#fail('ECONNREFUSED', 'connect ECONNREFUSED (mock)');
        return;
      }
      this.#receiver.head(this.#answer.status, this.#answer.headers);
      this.#next();
    });
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (this.#timer === undefined) this.#next();
  }

  abort(): void {
    if (this.#over) return;
    clearTimeout(this.#timer);
    this.#over = true;
    this.#receiver.failed(new Error('aborted'));
  }

  /** A loop, and not a call for each piece: an answer of thousands that come at once must not fill the stack. */
  #next(): void {
    while (!this.#over && !this.#paused && this.#timer === undefined) {
      const piece = this.#answer.pieces[this.#at];
      if (piece === undefined) {
        this.#finish();
        return;
      }
      if (piece.afterMs !== undefined && piece.afterMs > 0) {
        this.#later(piece.afterMs, () => {
          this.#give(piece);
          this.#next();
        });
        return;
      }
      this.#give(piece);
    }
  }

  #give({ text }: LocalPiece): void {
    this.#at += 1;
    this.#receiver.data(typeof text === 'string' ? Buffer.from(text, 'utf8') : Buffer.from(text));
  }

  #finish(): void {
    if (this.#answer.breaks === 'hang') return;
    if (this.#answer.breaks === 'reset') {
      this.#fail('ECONNRESET', 'connection reset (mock)');
      return;
    }
    this.#over = true;
    this.#receiver.finished();
  }

  #fail(code: string, message: string): void {
    this.#over = true;
    this.#receiver.failed(Object.assign(new Error(message), { code }));
  }

  /** Without a pause the step is taken in this tick, so that an immediate answer costs no timer. */
  #later(ms: number | undefined, step: () => void): void {
    if (this.#over) return;
    if (ms === undefined || ms <= 0) step();
    else {
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        try {
          step();
        } catch (thrown) {
          this.#over = true;
          this.#receiver.crashed(thrown);
        }
      }, ms);
    }
  }
}
