import { type Logger, pino } from 'pino';
import type { Mask } from '../core/secrets/mask.ts';
import type { LogRecord } from '../core/records/record.ts';
import { DescriptorWriter } from './descriptor.ts';
import { type Destination, Output } from './output.ts';
import { prettyLine } from './pretty.ts';
import { maxLineLength, shortLine } from './short-line.ts';
import { RequestLines } from './request-line.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFormat = 'auto' | 'pretty' | 'json';

/** The operational log of the gateway: its own events, and one line per finished request. Never contains the record itself. */
export interface Log {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Writes the summary of a finished request, at level info. */
  request(record: LogRecord): void;
  /** Writes a message for people: on a terminal the text unchanged, elsewhere a line with fields and message. */
  announce(text: string, fields: object, message: string, level?: 'info' | 'error'): void;
  /** Writes complete lines of another process unchanged. */
  forwardLines(lines: Buffer): void;
  /** The format of the lines, for another process that writes to the same log. */
  readonly style: LogStyle;
  /** Changes the settings that a reload may change. */
  configure(change: { readonly level?: LogLevel; readonly format?: LogFormat; readonly mask?: Mask }): void;
  /** Resolves when everything is written, or the reader accepts no more data. Called before the process exits. */
  flush(): Promise<void>;
}

export interface LogStyle {
  readonly level: LogLevel;
  readonly format: 'pretty' | 'json';
  readonly colors: boolean;
}

/** Destination of the lines: a standard stream, whose descriptor is written to directly, or any object that accepts text. */
export interface LogSink {
  readonly fd?: number;
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface LogOptions {
  readonly level: LogLevel;
  /** `auto`: pretty on a terminal, JSON elsewhere. */
  readonly format: LogFormat;
  readonly stdout: LogSink;
  readonly colors?: boolean;
  /** Unix milliseconds. */
  now(): number;
  /** Formats a time of day for people. */
  clockTime(ms: number): string;
  /** Formats a finished request for people: one line, without a line feed. */
  requestLine(record: LogRecord): string;
}

/**
 * Lines are written asynchronously, all of one turn of the event loop in one write. Lines of requests are buffered for at most 50
 * ms: one write per request would cost more than the line.
 */
export function createLog(options: LogOptions): Log {
  return new PinoLog(options);
}

class PinoLog implements Log {
  readonly #options: LogOptions;
  readonly #output: Output;
  readonly #logger: Logger;
  readonly #lines = new RequestLines();
  #format: 'pretty' | 'json';

  constructor(options: LogOptions) {
    this.#options = options;
    this.#format = resolveFormat(options.format, options.stdout);
    this.#output = new Output(
      destinationOf(options.stdout, (lost) => this.warn({ lost }, 'log lines were dropped: their reader is too slow')),
    );
    const formatters = { level: (label: string) => ({ level: label }) };
    const time = () => `,"time":"${new Date(options.now()).toISOString()}"`;
    this.#logger = pino(
      { level: options.level, base: null, timestamp: time, formatters },
      { write: (line: string) => this.#operational(line) },
    );
  }

  debug(fields: object, message: string): void {
    this.#logger.debug(fields, message);
  }

  warn(fields: object, message: string): void {
    this.#logger.warn(fields, message);
  }

  error(fields: object, message: string): void {
    this.#logger.error(fields, message);
  }

  request(record: LogRecord): void {
    if (!this.#logger.isLevelEnabled('info')) return;
    const isPretty = this.#format === 'pretty';
    this.#output.writeLater((out) => {
      if (isPretty) out.json(`${this.#options.requestLine(record)}\n`);
      else this.#lines.write(out, record, this.#options.now());
    });
  }

  announce(text: string, fields: object, message: string, level: 'info' | 'error' = 'info'): void {
    if (this.#format === 'pretty') this.#output.write(`${text}\n`);
    else this.#logger[level](fields, message);
  }

  forwardLines(lines: Buffer): void {
    this.#output.forwardLines(lines);
  }

  get style(): LogStyle {
    return { level: this.#logger.level as LogLevel, format: this.#format, colors: this.#options.colors === true };
  }

  configure(change: { readonly level?: LogLevel; readonly format?: LogFormat; readonly mask?: Mask }): void {
    if (change.level !== undefined) this.#logger.level = change.level;
    if (change.format !== undefined) this.#format = resolveFormat(change.format, this.#options.stdout);
    if (change.mask !== undefined) this.#output.mask = change.mask;
  }

  async flush(): Promise<void> {
    await this.#output.flush();
  }

  #operational(full: string): void {
    const line = full.length > maxLineLength ? shortLine(full, this.#output.mask) : full;
    if (this.#format === 'json') this.#output.write(line);
    else this.#output.write(prettyLine(line, this.#options.clockTime, this.#options.colors === true));
  }
}

function resolveFormat(format: LogFormat, stdout: LogSink): 'pretty' | 'json' {
  if (format !== 'auto') return format;
  return stdout.isTTY === true ? 'pretty' : 'json';
}

function destinationOf(sink: LogSink, onLost: (writes: number) => void): Destination {
  if (sink.fd === undefined) return { write: (bytes) => void sink.write(bytes.toString('utf8')), flush: async () => {} };
  return new DescriptorWriter(sink.fd, onLost);
}
