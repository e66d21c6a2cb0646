import { activeSegments, listSegments } from '../../spool.ts';

/** The segments of a spool at one moment, oldest first. A list serves many steps, because a spool may have thousands. */
export class SegmentList {
  readonly #names: readonly string[];
  #at = 0;
  #active: ReadonlySet<string> | undefined;

  constructor(dir: string) {
    this.#names = listSegments(dir);
  }

  /** Undefined at the end. */
  get current(): string | undefined {
    return this.#names[this.#at];
  }

  /** False if the current segment may still be written to: its last frame may be completed, and more may follow. */
  get isClosed(): boolean {
    const { current } = this;
    if (current === undefined || this.#at === this.#names.length - 1) return false;
    this.#active ??= activeSegments(this.#names);
    return !this.#active.has(current);
  }

  advance(): void {
    this.#at += 1;
  }
}
