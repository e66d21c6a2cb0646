import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Facts, Question } from './gateway-child.ts';
import { type RawUpstream, startRawUpstream } from './raw-upstream.ts';

/** A gateway in its own process, and upstreams that respond with arbitrary given bytes. */
export interface FuzzRig {
  readonly url: string;
  readonly upstreams: readonly RawUpstream[];
  /** Sends these bytes on a new connection. */
  send(bytes: Buffer, options?: SendOptions): Promise<Sent>;
  facts(): Promise<Facts>;
  /** Shuts the gateway down gracefully and reports the requests that were still running. */
  drain(): Promise<Facts>;
  close(): Promise<void>;
}

export interface SendOptions {
  /** Timeout for the connection to end, in milliseconds. */
  readonly withinMs?: number;
  /** How long to read after the first bytes, in milliseconds, for responses after which the connection stays open. */
  readonly settleMs?: number;
}

/** Result of a request. */
export interface Sent {
  /** Status line, head and body as received. */
  readonly text: string;
  readonly status: number | undefined;
  /** `ended`: the gateway closed the connection; `waiting`: the timeout expired. */
  readonly end: 'ended' | 'waiting';
}

/** @param config receives the URLs of the upstreams */
export async function startFuzzRig(config: (upstreams: readonly string[]) => object, slots: number): Promise<FuzzRig> {
  const upstreams = await Promise.all(Array.from({ length: slots }, startRawUpstream));
  const dir = await mkdtemp(join(tmpdir(), 'gateway-fuzz-'));
  const file = join(dir, 'gateway.yaml');
  await writeFile(file, JSON.stringify(config(upstreams.map((each) => each.url))));
  const child = fork(join(import.meta.dirname, 'gateway-child.ts'), [file], {
    cwd: dir,
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const { url } = await nextMessage<{ url: string }>(child);
  const { hostname, port } = new URL(url);
  const askChild = async (question: Question): Promise<Facts> => {
    const facts = nextMessage<Facts>(child);
    child.send(question);
    return facts;
  };
  return {
    url,
    upstreams,
    send: (bytes, options) => send({ host: hostname, port: Number(port) }, bytes, options),
    facts: () => askChild({ ask: 'facts' }),
    drain: () => askChild({ ask: 'drain' }),
    async close() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      await Promise.all(upstreams.map((each) => each.close()));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Returns the next message; rejects if the process exits instead, which is a failure that the fuzzer looks for. */
function nextMessage<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown): void => {
      child.off('exit', onExit);
      resolve(message as T);
    };
    const onExit = (code: number | null, signal: string | null): void => {
      child.off('message', onMessage);
      reject(new Error(`the gateway's process ended (${code ?? signal})`));
    };
    if (child.exitCode === null && child.signalCode === null) child.once('message', onMessage).once('exit', onExit);
    else onExit(child.exitCode, child.signalCode);
  });
}

function send(address: { host: string; port: number }, bytes: Buffer, { withinMs = 10_000, settleMs }: SendOptions = {}): Promise<Sent> {
  return new Promise((resolve) => {
    const socket = connect(address);
    const pieces: Buffer[] = [];
    const finish = (end: Sent['end']): void => {
      clearTimeout(timer);
      socket.destroy();
      const text = Buffer.concat(pieces).toString('latin1');
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
      resolve({ text, status: status === undefined ? undefined : Number(status), end });
    };
    const timer = setTimeout(() => finish('waiting'), withinMs);
    socket.on('data', (chunk) => {
      if (pieces.length === 0 && settleMs !== undefined) setTimeout(finish, settleMs, 'waiting');
      pieces.push(chunk);
    });
    // A reset is treated like a close: the law checks the bytes received before it.
    socket.on('error', () => undefined);
    socket.on('close', () => finish('ended'));
    socket.write(bytes);
  });
}

/** Serializes a request; adds the length of the body, if any. */
export function request(method: string, target: string, headers: Readonly<Record<string, string>>, body?: string | Buffer): Buffer {
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const all = { host: '127.0.0.1', connection: 'close', ...headers, ...(bytes === undefined ? {} : { 'content-length': bytes.length }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'), bytes ?? Buffer.alloc(0)]);
}
