import type { Agent } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import type { ProxySetting } from '../../core/snapshot.ts';
import type { LogRecord } from '../../core/records/record.ts';
import { createMask, type Mask } from '../../core/secrets/mask.ts';
import { type EncodeSettings, type ExportedRecord, withoutContent } from './exported-record.ts';
import { logRecordOf } from './log-records.ts';
import type { Entry, ExportSettings, FromThread, SignalSettings, ToThread } from './messages.ts';
import { itemText, payloadOf, type Signal } from './payload.ts';
import { ExportQueue, type ExportResult } from './export-queue.ts';
import { Sender } from './sender.ts';
import { spansOf } from './spans.ts';

export interface ExporterDeps {
  /** Decodes a record from its line; undefined if it is not one. */
  decode(line: string): LogRecord | undefined;
  post(message: FromThread): void;
  /** The agent for https, whose connections use the current proxy. */
  agent?(proxy: () => ProxySetting | undefined): Agent;
}

/** Encodes records and sends them. Runs in its own thread. */
export class Exporter {
  readonly #deps: ExporterDeps;
  readonly #sender: Sender;
  readonly #pipes: { [S in Signal]?: ExportQueue } = {};
  #settings: ExportSettings | undefined;
  #mask: Mask | undefined;

  constructor(deps: ExporterDeps) {
    this.#deps = deps;
    this.#sender = new Sender({ https: deps.agent?.(() => this.#settings?.proxy) });
  }

  async take(message: ToThread): Promise<void> {
    if (message.kind === 'settings') this.#use(message.settings);
    else if (message.kind === 'records') this.#records(message.entries);
    else await this.#flush(message.withinMs);
  }

  #use(settings: ExportSettings): void {
    const before = this.#settings;
    this.#settings = settings;
    this.#mask = createMask([...settings.secrets]);
    // The next export opens a new connection.
    if (before !== undefined && !isDeepStrictEqual(settings.proxy, before.proxy)) this.#sender.close();
    for (const signal of ['traces', 'logs'] as const) {
      const collector = settings[signal];
      if (isDeepStrictEqual(collector, before?.[signal])) continue;
      // Pending items are sent to their previous collector.
      void this.#pipes[signal]?.flush(10_000);
      if (collector === undefined) delete this.#pipes[signal];
      else this.#pipes[signal] = this.#open(signal, collector);
    }
  }

  #open(signal: Signal, collector: SignalSettings): ExportQueue {
    return new ExportQueue({
      collector,
      payload: (items) => payloadOf(signal, items, this.#encode()),
      send: (to, payload) => this.#sender.send(to, payload),
      onResult: (items, result, why) => this.#result(signal, items, result, why),
      onRetry: (why) => this.#deps.post({ kind: 'retry', signal, why }),
      limits: this.#settings?.limits,
    });
  }

  #records(entries: readonly Entry[]): void {
    const made: Record<Signal, string[]> = { traces: [], logs: [] };
    const items: Record<Signal, number> = { traces: 0, logs: 0 };
    for (const entry of entries) this.#encodeOne(entry, made, items);
    for (const signal of ['traces', 'logs'] as const) {
      items[signal] += made[signal].length;
      this.#pipes[signal]?.add(made[signal]);
    }
    this.#deps.post({ kind: 'read', items });
  }

  /** Encodes one record. If it cannot be encoded, the others are unaffected. @param failed counts such records */
  #encodeOne({ line, isTraced, request, response }: Entry, made: Record<Signal, string[]>, failed: Record<Signal, number>): void {
    const { traces, logs } = this.#settings ?? {};
    const wanted = { traces: isTraced ? traces : undefined, logs };
    try {
      const record = this.#deps.decode(this.#masked(line));
      if (record === undefined) return;
      const whole: ExportedRecord = { record, request: this.#maskedOr(request), response: this.#maskedOr(response) };
      const bare: ExportedRecord = { record: withoutContent(record), request: undefined, response: undefined };
      const { traces: spans, logs: log } = wanted;
      const ofSpans =
        spans === undefined ? [] : spansOf(spans.content ? whole : bare, this.#encode()).map((span) => this.#textOf(span, spans));
      if (log !== undefined) made.logs.push(this.#textOf(logRecordOf(log.content ? whole : bare, this.#encode()), log));
      made.traces.push(...ofSpans);
    } catch (error) {
      const why = error instanceof Error ? error.message : undefined;
      for (const signal of ['traces', 'logs'] as const) {
        if (wanted[signal] === undefined) continue;
        failed[signal] += 1;
        this.#result(signal, 1, 'failed', why);
      }
    }
  }

  /** Serializes an item. Secrets are masked again in items with messages, because joining the pieces of a stream can reveal one. */
  #textOf(item: object, { content }: SignalSettings): string {
    const text = itemText(item);
    return content ? this.#masked(text) : text;
  }

  async #flush(withinMs: number): Promise<void> {
    await Promise.all(Object.values(this.#pipes).map((pipe) => pipe.flush(withinMs)));
    this.#sender.close();
    this.#deps.post({ kind: 'flushed' });
  }

  #encode(): EncodeSettings {
    return this.#settings?.encode ?? { version: '', instance: '', resource: {}, providerNames: {} };
  }

  #masked(text: string): string {
    return this.#mask?.text(text) ?? text;
  }

  #maskedOr(text: string | undefined): string | undefined {
    return text === undefined ? undefined : this.#masked(text);
  }

  #result(signal: Signal, items: number, result: ExportResult, why: string | undefined): void {
    this.#deps.post({ kind: 'result', signal, items, result, why });
  }
}
