import { providers, stages } from '../../plugins/index.ts';
import type { LogRecord } from '../../src/core/records/record.ts';
import { startGateway } from '../../src/gateway/start.ts';
import { createLog } from '../../src/telemetry/log.ts';

/**
 * A gateway in its own process, without the command's handler for uncaught errors: every error that reaches the process is an
 * unhandled defect and is counted. Communicates over IPC; each question has one reply.
 */

/** Messages of the parent process. */
export type Question = { readonly ask: 'facts' } | { readonly ask: 'drain' };

export interface Facts {
  /** Bytes, after a garbage collection. */
  readonly rss: number;
  readonly heap: number;
  /** Number of created records. */
  readonly records: number;
  /** Requests that only the shutdown ended; they would have hung forever. */
  readonly drained: readonly string[];
  /** Uncaught errors since the last question; there must be none. */
  readonly unowned: readonly string[];
  /** Handled internal errors of requests since the last question: logged with their stack. */
  readonly defects: readonly string[];
}

const [file = ''] = process.argv.slice(2);
const unowned: string[] = [];
const defects: string[] = [];
const drained: string[] = [];
let records = 0;

const note = (error: unknown): void => void unowned.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
process.on('disconnect', () => process.exit());

const gateway = await startGateway({
  source: { path: file },
  cwd: process.cwd(),
  env: {},
  listen: '127.0.0.1:0',
  watch: false,
  log: createLog({
    level: 'error',
    format: 'json',
    stdout: { write: (text: string) => defects.push(...text.split('\n').filter((line) => line !== '')) },
    now: Date.now,
    clockTime: String,
    requestLine: () => '',
  }),
  registry: { providers, stages },
  onEvent: (event) => {
    if (event.type === 'request') count(event.record);
  },
});

function count(record: LogRecord): void {
  records += 1;
  if (record.end === 'drained') drained.push(`${record.method} ${record.path.slice(0, 100)} ${record.id}`);
}

function facts(): Facts {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss, heap: heapUsed, records, drained, unowned: unowned.splice(0), defects: defects.splice(0) };
}

// Registered after the start, because an error during the start must end the process.
process.on('uncaughtException', note);
process.on('unhandledRejection', note);
process.on('message', (question: Question) => {
  if (question.ask === 'facts') process.send?.(facts());
  else void gateway.drain().then(() => process.send?.(facts()));
});
process.send?.({ url: gateway.url.replace(/\/v1$/, '') });
