import type { ServerResponse } from 'node:http';
import type { LogRow } from '../../core/logs/row.ts';
import type { Mask } from '../../core/secrets/mask.ts';
import { securityHeaders } from '../http/reply.ts';
import type { LiveHub, LiveReader, LiveRow } from './hub.ts';

/** Maximum rows per second and reader; further rows are only counted. */
const maxRowsPerSecond = 50;
/** Maximum unsent bytes of a reader; beyond it the connection is closed. */
const maxUnsentBytes = 1024 * 1024;
const heartbeatMs = 15_000;

export interface LiveOptions {
  readonly hub: Pick<LiveHub, 'last' | 'since' | 'add'>;
  /** Identifies the user. */
  readonly owner: string;
  /** Identifies this process, so that row numbers of an earlier process are not mistaken for its own. */
  readonly boot: string;
  matches(row: LogRow): boolean;
  /** True if the reader must not see texts written by users. */
  readonly isBare: boolean;
  mask(): Mask;
  /** True while the reader's authorization is unchanged. */
  isStillAuthorized(): boolean;
  /** `last-event-id` of a reader that reconnects. */
  readonly lastId: string | undefined;
  /** Aborted when the connection closes. */
  readonly signal: AbortSignal;
}

/**
 * Writes rows as server-sent events until the reader disconnects: a message with a LogRow each, `skipped` with
 * `{count}` for rows beyond 50 in a second, `gap` if a reconnecting reader has missed more rows than that, or rows that
 * are no longer kept, `ready` at the start, and `beat` every 15 seconds. The ID of a beat is that of the newest row, so a reader whose
 * filter matches few rows can resume from there.
 */
export function streamRows(response: ServerResponse, options: LiveOptions): Promise<void> {
  return new Promise((resolve) => {
    const { hub, signal } = options;
    response.writeHead(200, { ...securityHeaders, 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    if (response.req.method === 'HEAD') {
      response.end();
      resolve();
      return;
    }
    const reader = new StreamReader(response, options);
    reader.begin();
    const removeReader = hub.add(reader);
    const tick = setInterval(() => reader.startSecond(), 1000);
    // If the user signed out or the role changed, the stream ends. The browser reconnects with its current authorization.
    const beat = setInterval(() => (options.isStillAuthorized() ? reader.sendEvent('beat', () => '{}') : response.end()), heartbeatMs);
    const end = (): void => {
      removeReader();
      clearInterval(tick);
      clearInterval(beat);
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

class StreamReader implements LiveReader {
  readonly owner: string;
  readonly #response: ServerResponse;
  readonly #options: LiveOptions;
  #sent = 0;
  #skipped = 0;
  #pendingText = '';

  constructor(response: ServerResponse, options: LiveOptions) {
    this.#response = response;
    this.#options = options;
    this.owner = options.owner;
  }

  begin(): void {
    const { hub, boot, matches } = this.#options;
    const from = this.#lastReceived();
    const found = from === undefined ? undefined : hub.since(from)?.filter(({ row }) => matches(row));
    // A sample would contain the oldest of them, and the reader can load all from the log.
    const missed = found !== undefined && found.length > maxRowsPerSecond ? undefined : found;
    this.#pendingText += `retry: 2000\nid: ${boot}-${from !== undefined && missed !== undefined ? from : hub.last}\nevent: ready\ndata: {}\n\n`;
    if (this.#options.lastId !== undefined && missed === undefined) this.#pendingText += 'event: gap\ndata: {}\n\n';
    for (const live of missed ?? []) this.addRow(live);
    this.flush();
  }

  addRow(live: LiveRow): void {
    const { matches, isBare, mask, boot } = this.#options;
    if (!matches(live.row)) return;
    if (this.#sent >= maxRowsPerSecond) {
      this.#skipped += 1;
      return;
    }
    this.#sent += 1;
    this.#pendingText += `id: ${boot}-${live.id}\ndata: ${live.text(isBare, mask())}\n\n`;
  }

  /** Starts a new one-second window. */
  startSecond(): void {
    if (this.#skipped > 0) this.sendEvent('skipped', () => `{"count":${this.#skipped}}`);
    this.#sent = 0;
    this.#skipped = 0;
  }

  /** Sends an event whose ID is that of the newest row, including skipped ones. */
  sendEvent(event: string, data: () => string): void {
    const { hub, boot } = this.#options;
    // Reading `last` first delivers the rows that wait in the hub.
    const { last } = hub;
    this.write(`id: ${boot}-${last}\nevent: ${event}\ndata: ${data()}\n\n`);
  }

  flush(): void {
    const text = this.#pendingText;
    this.#pendingText = '';
    if (text !== '') this.write(text);
  }

  write(text: string): void {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return;
    response.write(text);
    // A reader that does not read must not accumulate data in memory.
    if (response.writableLength > maxUnsentBytes) response.destroy();
  }

  /** Number of the last row that the reader received; undefined if there is none, or it is from another process. */
  #lastReceived(): number | undefined {
    const [boot, number] = this.#options.lastId?.split('-') ?? [];
    const id = Number(number);
    return boot === this.#options.boot && Number.isSafeInteger(id) && id >= 0 ? id : undefined;
  }
}
