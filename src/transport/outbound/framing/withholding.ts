import type { WireEvent } from '../../../core/events.ts';
import type { EventScanner, Scanned, ScannedEvent } from './scanned.ts';

/** Removes events that the client must not get from what another scanner has found. */
export class WithholdingScanner implements EventScanner {
  readonly #scanner: EventScanner;
  readonly #withholds: (event: WireEvent) => boolean;

  constructor(scanner: EventScanner, withholds: (event: WireEvent) => boolean) {
    this.#scanner = scanner;
    this.#withholds = withholds;
  }

  get buffered(): number {
    return this.#scanner.buffered;
  }

  get flaw(): string | undefined {
    return this.#scanner.flaw;
  }

  push(chunk: Buffer): Scanned {
    return this.#rest(this.#scanner.push(chunk));
  }

  end(): Scanned {
    return this.#rest(this.#scanner.end());
  }

  #rest(scanned: Scanned): Scanned {
    const { bytes, events } = scanned;
    const pieces: Buffer[] = [];
    const kept: ScannedEvent[] = [];
    let from = 0;
    let removed = 0;
    for (const event of events) {
      const { start, end } = event;
      if (this.#withholds(event)) {
        pieces.push(bytes.subarray(from, start));
        from = end;
        removed += end - start;
      } else kept.push(removed === 0 ? event : { ...event, start: start - removed, end: end - removed });
    }
    return removed === 0 ? scanned : { bytes: Buffer.concat([...pieces, bytes.subarray(from)]), events: kept };
  }
}
