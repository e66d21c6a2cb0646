import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { parseJson } from '../../core/json/scan.ts';
import { request } from '../../core/node-http.ts';
import { printable } from '../../core/text/printable.ts';
import { CommandError, exitCodes } from '../command.ts';
import type { CliIo } from '../io.ts';

/** A gateway in its own process, for measuring. */
export interface BenchGateway {
  /** Including `/v1`. */
  readonly url: string;
  /** Resident memory in bytes; undefined if it is not known. */
  memory(): Promise<number | undefined>;
  /** Resolves when the process has ended. */
  stop(): Promise<void>;
}

/** Variables that a child gets: none with a secret, an address or a setting of the user's gateway. */
const forwardedVariables = ['PATH', 'HOME', 'TMPDIR', 'MALLOC_MMAP_THRESHOLD_', 'NODE_OPTIONS', 'NODE_COMPILE_CACHE', 'UV_THREADPOOL_SIZE'];

const startTimeout = 30_000;
const stopTimeout = 5000;

/**
 * Starts this program with a configuration, on a free port of the loopback interface.
 *
 * @param folder created for its file and its state
 * @throws CommandError
 */
export async function startGateway(folder: string, config: string, { env }: CliIo, signal: AbortSignal): Promise<BenchGateway> {
  await mkdir(folder);
  const file = join(folder, 'gateway.yaml');
  await writeFile(file, config);
  const flags = process.execArgv.filter((flag) => !flag.startsWith('--inspect'));
  const probes = join(folder, 'probes');
  const listen = ['--listen', '127.0.0.1:0', '--probe-listen', `unix:${probes}`];
  const start = ['start', '-c', file, ...listen, '--no-admin', '--no-watch', '--log-format', 'json'];
  const child = spawn(process.execPath, [...flags, process.argv[1] ?? '', ...start], {
    cwd: folder,
    env: Object.fromEntries(forwardedVariables.map((name) => [name, env[name]])),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async (): Promise<void> => {
    process.off('exit', kill);
    await stopChild(child);
  };
  try {
    const { url } = await waitForStart(child, AbortSignal.any([signal, AbortSignal.timeout(startTimeout)]));
    return { url, memory: () => memoryOf(probes), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface StartLine {
  readonly msg?: string;
  readonly url: string;
}

/** The log line of a start. Later lines are read and dropped. */
function waitForStart(child: ChildProcess, signal: AbortSignal): Promise<StartLine> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new TypeError('the child has no pipes');
  return new Promise((resolve, reject) => {
    let stderrText = '';
    const lines = createInterface({ input: stdout });
    const fail = (why: string): void => reject(new CommandError(exitCodes.no, `the gateway to measure did not start${why}`));
    stderr.setEncoding('utf8').on('data', (piece: string) => {
      stderrText = `${stderrText}${piece}`.slice(0, 2000);
    });
    child.once('error', (error) => fail(`: ${error.message}`));
    child.once('close', () => fail(stderrText === '' ? '' : `: ${printable(stderrText.trim())}`));
    signal.addEventListener('abort', () => fail(''), { once: true });
    lines.on('line', (line) => {
      const found = parseStartLine(line);
      if (found === undefined) return;
      lines.close();
      stdout.resume();
      resolve(found);
    });
  });
}

function parseStartLine(line: string): StartLine | undefined {
  try {
    const found = parseJson(line) as StartLine;
    return found.msg === 'gateway started' ? found : undefined;
  } catch {
    return undefined;
  }
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeout);
  await closed;
  clearTimeout(timer);
}

/** @param probes path of the socket with the metrics */
async function memoryOf(probes: string): Promise<number | undefined> {
  try {
    const metrics = await new Promise<string>((resolve, reject) => {
      const call = request({ socketPath: probes, path: '/metrics', agent: false, signal: AbortSignal.timeout(10_000) });
      call.on('response', (response) => text(response).then(resolve, reject)).on('error', reject);
      call.end();
    });
    const value = Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1]);
    return Number.isFinite(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
