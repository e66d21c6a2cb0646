import type { ServerResponse } from 'node:http';
import type { LogRow } from '../../core/logs/row.ts';
import type { Mask } from '../../core/secrets/mask.ts';
import { safetyHeaders } from '../http/reply.ts';
import type { LiveHub, LiveReader, LiveRow } from './hub.ts';

/** Rows of one reader within a second; the others are counted. */
const mostPerSecond = 50;
/** Bytes that a reader may leave unread before it is dropped. */
const mostWaiting = 1024 * 1024;
const beatMs = 15_000;

export interface LiveOptions {
  readonly hub: Pick<LiveHub, 'last' | 'since' | 'add'>;
  /** Tells the rows of this process from those of one before. */
  readonly boot: string;
  matches(row: LogRow): boolean;
  /** This reader sees nothing that users wrote. */
  readonly isBare: boolean;
  mask(): Mask;
  /** Whether the reader may still see what it was let in for. */
  holds(): boolean;
  /** `last-event-id` of a reader who comes back. */
  readonly lastId: string | undefined;
  /** Ends with the connection. */
  readonly signal: AbortSignal;
}

/**
 * Writes rows as server-sent events until the reader leaves: a message with a LogRow each, `skipped` with `{count}` for rows beyond
 * 50 in a second, `gap` where a reader who comes back has missed rows that are not kept any more, `ready` at the beginning, and
 * `beat` every 15 seconds, whose id is behind all rows until then: a reader whose filter they do not fit need not begin earlier.
 */
export function streamRows(response: ServerResponse, options: LiveOptions): Promise<void> {
  return new Promise((resolve) => {
    const { hub, signal } = options;
    response.writeHead(200, { ...safetyHeaders, 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    if (response.req.method === 'HEAD') {
      response.end();
      resolve();
      return;
    }
    const reader = new Reader(response, options);
    reader.begin();
    const leave = hub.add(reader);
    const tick = setInterval(() => reader.second(), 1000);
    // Whoever signed out, or may see less by now, is sent away: a browser comes back as who it is then.
    const beat = setInterval(() => (options.holds() ? reader.tell('beat', () => '{}') : response.end()), beatMs);
    const end = (): void => {
      leave();
      clearInterval(tick);
      clearInterval(beat);
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

class Reader implements LiveReader {
  readonly #response: ServerResponse;
  readonly #options: LiveOptions;
  #sent = 0;
  #skipped = 0;
  #waiting = '';

  constructor(response: ServerResponse, options: LiveOptions) {
    this.#response = response;
    this.#options = options;
  }

  begin(): void {
    const { hub, boot } = this.#options;
    const from = this.#from();
    const missed = from === undefined ? undefined : hub.since(from);
    this.#waiting += `retry: 2000\nid: ${boot}-${from !== undefined && missed !== undefined ? from : hub.last}\nevent: ready\ndata: {}\n\n`;
    if (this.#options.lastId !== undefined && missed === undefined) this.#waiting += 'event: gap\ndata: {}\n\n';
    for (const live of missed ?? []) this.take(live);
    this.flush();
  }

  take(live: LiveRow): void {
    const { matches, isBare, mask, boot } = this.#options;
    if (!matches(live.row)) return;
    if (this.#sent >= mostPerSecond) {
      this.#skipped += 1;
      return;
    }
    this.#sent += 1;
    this.#waiting += `id: ${boot}-${live.id}\ndata: ${live.text(isBare, mask())}\n\n`;
  }

  /** Another second begins. */
  second(): void {
    if (this.#skipped > 0) this.tell('skipped', () => `{"count":${this.#skipped}}`);
    this.#sent = 0;
    this.#skipped = 0;
  }

  /** An event behind all rows until now, those that were skipped too. */
  tell(event: string, data: () => string): void {
    const { hub, boot } = this.#options;
    // What waits in the hub comes first.
    const { last } = hub;
    this.write(`id: ${boot}-${last}\nevent: ${event}\ndata: ${data()}\n\n`);
  }

  flush(): void {
    const text = this.#waiting;
    this.#waiting = '';
    if (text !== '') this.write(text);
  }

  write(text: string): void {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return;
    response.write(text);
    // A reader who does not read would keep everything in memory.
    if (response.writableLength > mostWaiting) response.destroy();
  }

  /** The number of the row that the reader saw last; undefined for one of another process, or none. */
  #from(): number | undefined {
    const [boot, number] = this.#options.lastId?.split('-') ?? [];
    const id = Number(number);
    return boot === this.#options.boot && Number.isSafeInteger(id) && id >= 0 ? id : undefined;
  }
}
