import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { tryParseObject } from '../../../core/json/scan.ts';
import type { ProblemReport, SerializedError, RpcReply } from './protocol.ts';
import { type RpcFrame, jsonFrame, frameKinds, FrameDecoder } from './frames.ts';
import type { Peer, PeerEvents } from './peer.ts';

export interface ProcessOptions {
  /** The program of the process. It responds to calls (`serveCalls`). */
  readonly entry: URL;
  /** The first message to the process, so that secrets are in no argument or environment variable. Must be representable in JSON. */
  readonly data: unknown;
  /** Heap of the process in megabytes. Beyond it only that process dies. */
  readonly heapMb: number;
}

/** Milliseconds until the process is ready. A busy machine may give it little time. */
const startMs = 30_000;

/**
 * Environment variables that configure Node, the system and Postgres clients. No others are inherited, in particular no
 * provider credentials.
 */
const inheritedEnvironment =
  /^(?:PG[A-Z]+|NODE_(?:OPTIONS|ENV|EXTRA_CA_CERTS|USE_SYSTEM_CA|COMPILE_CACHE|DISABLE_COMPILE_CACHE)|SSL_CERT_(?:FILE|DIR)|OPENSSL_CONF|LC_[A-Z]+|LD_[A-Z_]+|DYLD_[A-Z_]+|LANG|TZ|HOME|USER|PATH|TMPDIR|TEMP|TMP|SYSTEMROOT|USERPROFILE|APPDATA)$/i;
/** Flags of this process that the child process inherits. */
const inheritedFlags = /^--(?:conditions=|use-(?:bundled|openssl|system)-ca)/;

/**
 * A process that handles calls. Unlike a thread, it can run with the lowest priority including V8's own work. It ends
 * with this process, however that ends. Its other output is discarded.
 */
export function startProcess({ entry, data, heapMb }: ProcessOptions, events: PeerEvents): Peer {
  const flags = [
    '--disable-sigusr1',
    `--max-old-space-size=${heapMb}`,
    '--max-semi-space-size=8',
    ...process.execArgv.filter((flag) => inheritedFlags.test(flag)),
  ];
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => inheritedEnvironment.test(name)));
  let child: ChildProcess;
  try {
    const stdio: ('ignore' | 'overlapped')[] = ['ignore', 'ignore', 'ignore', 'overlapped'];
    child = spawn(process.execPath, [...flags, fileURLToPath(entry)], { stdio, env, windowsHide: true });
  } catch (error) {
    setImmediate(() => events.onStartFailure(error as Error));
    return { post() {}, keepProcessAlive() {}, end: () => Promise.resolve() };
  }
  return new ChildPeer(child, data, events);
}

class ChildPeer implements Peer {
  readonly #child: ChildProcess;
  /** Undefined if the pipe could not be created. */
  readonly #pipe: Socket | undefined;
  readonly #events: PeerEvents;
  readonly #timer: NodeJS.Timeout;
  readonly #exited: Promise<void>;
  #isReady = false;

  constructor(child: ChildProcess, data: unknown, events: PeerEvents) {
    this.#child = child;
    this.#pipe = (child.stdio as ChildProcess['stdio'] | undefined)?.[3] as Socket | undefined;
    this.#events = events;
    this.#timer = setTimeout(() => this.#kill(), startMs).unref();
    this.#exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        resolve();
        this.#ended(new Error(`the process ended with ${signal ?? `code ${code}`}`));
      });
      child.once('error', (error) => {
        if (child.pid === undefined) resolve();
        this.#ended(error);
      });
    });
    this.#connect(data);
    this.keepProcessAlive(false);
  }

  #connect(data: unknown): void {
    const pipe = this.#pipe;
    if (pipe === undefined) return;
    const unframer = new FrameDecoder((frame) => this.#take(frame));
    pipe.on('data', (piece: Buffer) => {
      try {
        unframer.push(piece);
      } catch {
        this.#kill();
      }
    });
    pipe.on('error', () => {});
    pipe.on('close', () => this.#kill());
    pipe.write(jsonFrame(0, frameKinds.json, data));
  }

  post(call: Parameters<Peer['post']>[0]): void {
    const { id, name, argument } = call;
    this.#pipe?.write(jsonFrame(id, frameKinds.json, { name, argument }));
  }

  keepProcessAlive(isHeld: boolean): void {
    for (const one of [this.#child, this.#pipe]) {
      if (isHeld) one?.ref();
      else one?.unref();
    }
  }

  async end(): Promise<void> {
    // Keep this process alive while it waits for the child to end.
    this.#child.ref();
    this.#kill();
    await this.#exited;
  }

  #kill(): void {
    this.#child.kill('SIGKILL');
    this.#pipe?.destroy();
  }

  #ended(why: Error): void {
    clearTimeout(this.#timer);
    this.#pipe?.destroy();
    if (this.#isReady) this.#events.onExit(why);
    else this.#events.onStartFailure(why);
  }

  #take(frame: RpcFrame): void {
    if (frame.id !== 0 || frame.kind === frameKinds.problems) {
      this.#events.onMessage(messageIn(frame));
      return;
    }
    this.#isReady = true;
    clearTimeout(this.#timer);
    this.#events.onReady();
  }
}

function messageIn({ id, kind, payload }: RpcFrame): RpcReply | ProblemReport {
  if (kind === frameKinds.bytes) return { id, value: payload };
  const message = kind === frameKinds.error || kind === frameKinds.problems ? tryParseObject(payload.toString('utf8')) : undefined;
  if (message !== undefined && kind === frameKinds.problems) return message as unknown as ProblemReport;
  if (message !== undefined) return { id, error: message as unknown as SerializedError };
  return { id, value: undefined };
}
