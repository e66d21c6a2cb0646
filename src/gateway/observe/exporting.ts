import { randomUUID } from 'node:crypto';
import type { LogRecord } from '../../core/records/record.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import type { Log } from '../../telemetry/log.ts';
import { ExportThread } from '../../telemetry/otlp/export-thread.ts';
import { isSampled } from '../../telemetry/otlp/exported-record.ts';
import type { ExportSettings } from '../../telemetry/otlp/messages.ts';
import type { Signal } from '../../telemetry/otlp/payload.ts';
import type { ExportResult } from '../../telemetry/otlp/export-queue.ts';
import type { Sample } from '../../telemetry/metrics/sample.ts';
import { CurrentProblems } from './current-problems.ts';
import { errorReporter, onceEvery } from '../log/reporters.ts';
import { version } from '../version.ts';

/** A record as written to the spool: its line, and the kept bodies in the order request, upstream, response. */
export interface WrittenRecord {
  readonly record: LogRecord;
  readonly line: string;
  readonly request: readonly Buffer[];
  readonly response: readonly Buffer[];
}

/** Maximum size of an exported body, in bytes. */
const longestBody = 256 * 1024;
/** Minimum milliseconds between two log lines about a failing collector. */
const lineEvery = 60_000;
/** Milliseconds that shutdown waits for a collector. */
const flushMs = 1500;
const results = ['exported', 'rejected', 'failed', 'dropped'] as const satisfies readonly ExportResult[];

const subjects = { traces: 'Traces', logs: 'Log records' } as const satisfies Record<Signal, string>;

/** Exports traces and records to collectors. No cost per request if none is configured. */
export class Exporting {
  readonly #log: Pick<Log, 'warn' | 'error'>;
  readonly #entry: URL;
  /** A thread that always dies is started again with each batch of records. */
  readonly #onFault: (error: unknown) => void;
  readonly #instance = randomUUID();
  readonly #counts = new Map<string, number>();
  #thread: ExportThread | undefined;
  /** Sampling ratio of traces that start here; undefined if no traces are exported. */
  #ratio: number | undefined;
  #hasLogs = false;
  #hasContent = false;
  readonly #problems: Readonly<Record<Signal, CurrentProblems>>;
  readonly #isLossDue: () => boolean;
  readonly #isRetryDue: () => boolean;

  /** @param problems current problems, kept up to date @param entry entry file of the thread */
  constructor(
    log: Pick<Log, 'warn' | 'error'>,
    monotonic: () => number,
    problems: string[],
    entry = new URL('./export-worker.js', import.meta.url),
  ) {
    this.#log = log;
    this.#problems = { traces: new CurrentProblems([problems]), logs: new CurrentProblems([problems]) };
    this.#isLossDue = onceEvery(lineEvery, monotonic);
    this.#isRetryDue = onceEvery(lineEvery, monotonic);
    this.#entry = entry;
    this.#onFault = errorReporter(log, monotonic, 'the thread that exports traces and logs died; it is started again');
  }

  get isOn(): boolean {
    return this.#hasLogs || this.#ratio !== undefined;
  }

  use(snapshot: Snapshot, secrets: readonly string[]): void {
    const { tracing, logs } = snapshot.observability;
    this.#ratio = tracing?.ratio;
    this.#hasLogs = logs !== undefined;
    this.#hasContent = tracing?.content === true || logs?.content === true;
    // Starts at zero: Prometheus does not count the first value of a counter as an increase.
    for (const signal of [...(tracing === undefined ? [] : ['traces']), ...(logs === undefined ? [] : ['logs'])])
      for (const result of results) this.#counts.set(`${signal} ${result}`, this.#counts.get(`${signal} ${result}`) ?? 0);
    for (const signal of ['traces', 'logs'] as const) if (!this.#isExported(signal)) this.#problems[signal].show([]);
    if (!this.isOn && this.#thread === undefined) return;
    this.#thread ??= new ExportThread({
      entry: this.#entry,
      onResult: (signal, items, result, why) => this.#result(signal, items, result, why),
      onRetry: (signal, why) => this.#retried(signal, why),
      onFault: this.#onFault,
    });
    this.#thread.use(this.isOn ? this.#settingsOf(snapshot, secrets) : undefined);
  }

  /** Called before the last bytes of the response are sent, so it only queues the record. */
  add({ record, line, request, response }: WrittenRecord): void {
    const isTraced = this.#ratio !== undefined && isSampled(record, this.#ratio);
    if (!isTraced && !this.#hasLogs) return;
    this.#thread?.add({ line, isTraced, request: this.#textOf(request), response: this.#textOf(response) });
  }

  samples(): readonly Sample[] {
    const counted = [...this.#counts].map(([key, count]): Sample => {
      const [signal = '', result = ''] = key.split(' ');
      return ['gateway_otlp_items_total', [signal, result], count];
    });
    return this.isOn ? [...counted, ['gateway_otlp_waiting_bytes', [], this.#thread?.waiting ?? 0]] : counted;
  }

  /** Sends the queued items. */
  async close(): Promise<void> {
    await this.#thread?.close(flushMs);
  }

  /** Returns undefined without copying unless message content is exported. */
  #textOf(pieces: readonly Buffer[]): string | undefined {
    if (!this.#hasContent || pieces.length === 0) return undefined;
    const [only] = pieces;
    const bytes = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
    return bytes.length > longestBody ? undefined : bytes.toString('utf8');
  }

  #settingsOf({ observability, types, providers, server }: Snapshot, secrets: readonly string[]): ExportSettings {
    const { tracing, logs, resource } = observability;
    const ofTypes = [...types].map(([type, { entry }]) => [type, entry.telemetryName ?? type]);
    const ofSlugs = [...providers.values()].map(({ slug, provider }) => [slug, provider.entry.telemetryName ?? provider.type]);
    return {
      encode: { version, instance: this.#instance, resource, providerNames: Object.fromEntries([...ofTypes, ...ofSlugs]) },
      traces: tracing === undefined ? undefined : { url: tracing.url, headers: tracing.headers, content: tracing.content },
      logs: logs === undefined ? undefined : { url: logs.url, headers: logs.headers, content: logs.content },
      proxy: server.egressProxy,
      secrets,
    };
  }

  #isExported(signal: Signal): boolean {
    return signal === 'traces' ? this.#ratio !== undefined : this.#hasLogs;
  }

  #result(signal: Signal, items: number, result: ExportResult, why: string | undefined): void {
    const key = `${signal} ${result}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + items);
    // A full queue is a consequence: the reason is that of the export that is retried.
    if (result !== 'dropped') this.#show(signal, result === 'exported' ? undefined : (why ?? result));
    if (result !== 'exported' && this.#isLossDue()) this.#log.warn({ signal, items, result, why }, 'traces or logs were not exported');
  }

  /** Retries take minutes: without a line, a wrong address or certificate would be noticed only when items are lost. */
  #retried(signal: Signal, why: string): void {
    this.#show(signal, why);
    if (this.#isRetryDue()) this.#log.warn({ signal, why }, 'traces or logs could not be exported; the gateway keeps them and retries');
  }

  /** @param why undefined once the collector accepts exports */
  #show(signal: Signal, why: string | undefined): void {
    if (this.#isExported(signal))
      this.#problems[signal].show(why === undefined ? [] : [`${subjects[signal]} are not exported to their collector: ${why}.`]);
  }
}
