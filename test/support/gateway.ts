import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isMap, parseDocument } from 'yaml';
import { providers, stages } from '../../plugins/index.ts';
import { createLoader, type Loader, LoaderFailure } from '../../src/config/reload/loader.ts';
import { startGateway } from '../../src/gateway/start.ts';
import type { Gateway, GatewayEvent, GatewayOptions } from '../../src/gateway/types.ts';
import type { LogRecord } from '../../src/core/records/record.ts';
import { createLog } from '../../src/telemetry/log.ts';

/** A gateway in the test process on a free port, with its file in a temporary folder. */
export interface TestGateway {
  readonly gateway: Gateway;
  /** Base URL without `/v1`. */
  readonly url: string;
  readonly dir: string;
  readonly file: string;
  readonly events: GatewayEvent[];
  readonly records: LogRecord[];
  /** Operational log lines, as written. */
  readonly lines: string[];
  write(yaml: string): Promise<void>;
  /** Returns the record of a request as soon as it exists. */
  record(id: string | null): Promise<LogRecord>;
  close(): Promise<void>;
}

export interface TestGatewayOptions {
  readonly env?: Record<string, string>;
  readonly watch?: boolean;
  readonly stateDir?: string;
  /** Default: a free port on loopback; undefined: the address in the file. */
  readonly listen?: string | undefined;
  /** Starts the dashboard and the admin API on a free port. */
  readonly admin?: boolean;
  /** Another address for them; undefined: the address in the file. */
  readonly adminListen?: string | undefined;
  /** Additional files by path relative to the folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** Requests are served by worker processes, as many as the file sets. */
  readonly workers?: GatewayOptions['workerTimes'];
  /** The working directory. Default: the file's folder. */
  readonly cwd?: string;
  /** Prepares the folder before the start. */
  prepare?(dir: string): Promise<void>;
}

const workerEntry = new URL('../../src/cli/start/serving-worker.js', import.meta.url);

/** One process loads the configurations of all gateways of a test file. To start one for each would take most of their start. */
const shared = createLoader(new URL('../../src/gateway/loading/config-worker.js', import.meta.url));

/** The shared loader for one gateway: like a loader of its own, it gives a closed gateway no configuration any more. */
function openLoader(): Loader {
  let isClosed = false;
  return {
    async load(request, limitMs) {
      const loaded = await shared.load(request, limitMs);
      if (isClosed) throw new LoaderFailure('the loader is closed');
      return loaded;
    },
    locate: (source, limitMs) => shared.locate(source, limitMs),
    prepare: () => shared.prepare(),
    close() {
      isClosed = true;
      return Promise.resolve();
    },
  };
}

export async function startTestGateway(yaml: string, options: TestGatewayOptions = {}): Promise<TestGateway> {
  const dir = await mkdtemp(join(tmpdir(), 'gateway-test-'));
  const file = join(dir, 'gateway.yaml');
  await writeFile(file, withAdminSwitched(yaml));
  for (const [name, text] of Object.entries(options.files ?? {})) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  await options.prepare?.(dir);
  const events: GatewayEvent[] = [];
  const records: LogRecord[] = [];
  const lines: string[] = [];
  const gateway = await startGateway({
    source: { path: file },
    loader: openLoader(),
    cwd: options.cwd ?? dir,
    env: options.env ?? {},
    listen: 'listen' in options ? options.listen : '127.0.0.1:0',
    admin: options.admin,
    adminListen: 'adminListen' in options ? options.adminListen : '127.0.0.1:0',
    watch: options.watch ?? false,
    stateDir: options.stateDir,
    // On a busy machine, starting the thread may take longer than the default.
    maskingMs: 100_000,
    ...(options.workers === undefined ? {} : { workerEntry, workerTimes: options.workers }),
    log: createLog({
      level: 'warn',
      format: 'json',
      stdout: { write: (text: string) => lines.push(text) > 0 },
      now: Date.now,
      clockTime: String,
      requestLine: () => '',
    }),
    registry: { providers, stages },
    onEvent: (event) => {
      events.push(event);
      if (event.type === 'request') records.push(event.record);
    },
  });
  return {
    gateway,
    url: gateway.url.replace(/\/v1$/, ''),
    dir,
    file,
    events,
    records,
    lines,
    write: (text) => writeFile(file, withAdminSwitched(text)),
    record: (id) => until(() => records.find((record) => record.id === id), `record ${id}`),
    async close() {
      await gateway.close();
      // The copy of a configuration that was applied last may still be being saved.
      await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}

/** With `GATEWAY_TEST_FAST_PATH=off`, `node:http` reads all requests of a test. */
function withAdminSwitched(text: string): string {
  if (process.env.GATEWAY_TEST_FAST_PATH !== 'off') return text;
  const file = parseDocument(text);
  if (file.errors.length > 0 || !isMap(file.contents) || !(isMap(file.get('server')) || file.get('server') === undefined)) return text;
  file.setIn(['server', 'fast_path'], false);
  return file.toString();
}

/** Polls for a condition with a long timeout. Checks never overlap. */
export async function until<T>(
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  description: string,
  withinMs = 100_000,
): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const result = await condition();
    if (result !== undefined && result !== false) return result;
    if (performance.now() > end) throw new Error(`waited in vain for ${description}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
