/**
 * Bytes after which a connection reads on only in the next turn of the event loop. While a socket has data, libuv would
 * read up to 2 MB of it before it looks at the next one, and a hundred fast providers would delay everyone else.
 */
const turnBytes = 64 * 1024;

interface Source {
  pause(): void;
  resume(): void;
}

/** Pauses a source for its owner, and after many bytes until the other connections have read. */
export class ReadingTurns implements Source {
  readonly #source: Source;
  /** Bytes read since the last yield. */
  #bytes = 0;
  #isPaused = false;
  /** Reading continues in the next turn. */
  #isYielding = false;
  #isOver = false;

  constructor(source: Source) {
    this.#source = source;
  }

  /** So many bytes were read. */
  count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < turnBytes || this.#isYielding) return;
    this.#bytes = 0;
    this.#isYielding = true;
    this.#source.pause();
    setImmediate(this.#readOn);
  }

  readonly #readOn = (): void => {
    this.#isYielding = false;
    if (!this.#isPaused && !this.#isOver) this.#source.resume();
  };

  pause(): void {
    this.#isPaused = true;
    this.#source.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    if (!this.#isYielding) this.#source.resume();
  }

  /** The source belongs to someone else from now on. */
  end(): void {
    this.#isOver = true;
  }
}
