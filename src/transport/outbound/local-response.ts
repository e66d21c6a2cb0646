import type { Schedule } from '../../core/async/schedule.ts';
import type { LocalAnswer, LocalPiece } from '../../core/provider.ts';
import type { CrashAwareReceiver } from './guarded.ts';
import type { ResponseControl } from '../wire/request.ts';

/** After this many milliseconds a response that hangs is reset. Every timeout of the configuration is shorter. */
export const hangMs = 25 * 3_600_000;

/** Plays an answer that a provider made itself, through the same receiver as one that came over a socket. */
export function playLocalResponse(answer: LocalAnswer, receiver: CrashAwareReceiver, later: Schedule): void {
  const player = new LocalResponsePlayer(answer, receiver, later);
  receiver.connected(player);
  receiver.sent();
  player.begin();
}

export const bytesOfPiece = ({ text }: LocalPiece): Buffer => (typeof text === 'string' ? Buffer.from(text, 'utf8') : Buffer.from(text));

class LocalResponsePlayer implements ResponseControl {
  readonly #answer: LocalAnswer;
  readonly #receiver: CrashAwareReceiver;
  readonly #later: Schedule;
  #cancel: (() => void) | undefined;
  #at = 0;
  #paused = false;
  #over = false;

  constructor(answer: LocalAnswer, receiver: CrashAwareReceiver, later: Schedule) {
    this.#answer = answer;
    this.#receiver = receiver;
    this.#later = later;
  }

  begin(): void {
    this.#step(this.#answer.delayMs, () => {
      const { breaks, status, headers } = this.#answer;
      if (breaks === 'refused') this.#fail('ECONNREFUSED');
      else if (breaks === 'reset-before-response') this.#fail('ECONNRESET');
      else {
        this.#receiver.head(status, headers);
        this.#next();
      }
    });
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (this.#cancel === undefined) this.#step(0, () => this.#next());
  }

  abort(): void {
    if (this.#over) return;
    this.#cancel?.();
    this.#over = true;
    this.#receiver.failed(new Error('aborted'));
  }

  /** A loop, and not a call for each piece: an answer of thousands that come at once must not fill the stack. */
  #next(): void {
    while (!this.#over && !this.#paused && this.#cancel === undefined) {
      const piece = this.#answer.pieces[this.#at];
      if (piece === undefined) {
        this.#finish();
        return;
      }
      this.#at += 1;
      if (piece.afterMs === undefined || piece.afterMs <= 0) this.#receiver.data(bytesOfPiece(piece));
      else
        this.#step(piece.afterMs, () => {
          this.#receiver.data(bytesOfPiece(piece));
          this.#next();
        });
    }
  }

  #finish(): void {
    const { breaks } = this.#answer;
    if (breaks === 'hang') this.#step(hangMs, () => this.#fail('ECONNRESET'));
    else if (breaks === 'reset') this.#fail('ECONNRESET');
    else {
      this.#over = true;
      this.#receiver.finished();
    }
  }

  #fail(code: string): void {
    this.#over = true;
    this.#receiver.failed(Object.assign(new Error(`simulated: ${code}`), { code }));
  }

  /** Without a pause the step is taken in this tick, so that an immediate answer costs no timer. */
  #step(ms: number | undefined, step: () => void): void {
    if (this.#over) return;
    if (ms === undefined || ms <= 0) this.#guard(step);
    else
      this.#cancel = this.#later(ms, () => {
        this.#cancel = undefined;
        this.#guard(step);
      });
  }

  /** The answer of a provider file may be anything. An error ends only this request, whoever called. */
  #guard(step: () => void): void {
    try {
      step();
    } catch (thrown) {
      this.#over = true;
      this.#receiver.crashed(thrown);
    }
  }
}
