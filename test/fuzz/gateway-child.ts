import { providers, stages } from '../../plugins/index.ts';
import type { LogRecord } from '../../src/core/records/record.ts';
import { startGateway } from '../../src/gateway/start.ts';
import { createLog } from '../../src/telemetry/log.ts';

/**
 * A gateway in a process of its own, without the last guard of the command: whatever reaches the process is a defect that
 * had no owner, and is counted. Talks over IPC: each question has one answer.
 */

/** What the parent may ask. */
export type Question = { readonly ask: 'facts' } | { readonly ask: 'drain' };

export interface Facts {
  /** Bytes, after a collection. */
  readonly rss: number;
  readonly heap: number;
  /** Records that were made. */
  readonly records: number;
  /** Requests that had to be ended by a stop: they would have stayed for ever. */
  readonly drained: readonly string[];
  /** What reached the process since the last question: nothing may. */
  readonly unowned: readonly string[];
  /** The same of requests that failed with an internal error that was owned: logged with its stack. */
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

// Not before the start: its errors end the process.
process.on('uncaughtException', note);
process.on('unhandledRejection', note);
process.on('message', (question: Question) => {
  if (question.ask === 'facts') process.send?.(facts());
  else void gateway.drain().then(() => process.send?.(facts()));
});
process.send?.({ url: gateway.url.replace(/\/v1$/, '') });
