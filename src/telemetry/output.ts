import type { Mask } from '../core/secrets/mask.ts';

/** What takes the text in the end: writes without waiting, one write in flight. */
export interface Destination {
  write(text: string): void;
  /** Resolves when all is written, or its reader takes nothing any more. */
  flush(): Promise<void>;
}

/** Gathers the lines of one turn of the event loop and hands them on together, secrets hidden. */
export class Output {
  mask: Mask | undefined;
  readonly #destination: Destination;
  #lines: string[] = [];
  #armed = false;

  constructor(destination: Destination) {
    this.#destination = destination;
  }

  /** @param line with its line feed */
  write(line: string): void {
    this.#lines.push(line);
    if (this.#armed) return;
    this.#armed = true;
    setImmediate(this.#handOn);
  }

  async flush(): Promise<void> {
    this.#handOn();
    await this.#destination.flush();
  }

  readonly #handOn = (): void => {
    this.#armed = false;
    if (this.#lines.length === 0) return;
    const text = this.#lines.join('');
    this.#lines = [];
    this.#destination.write(this.mask === undefined ? text : this.mask.text(text));
  };
}
