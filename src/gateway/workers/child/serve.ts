import type { SendHandle } from 'node:child_process';
import type { Socket } from 'node:net';
import { ProcessMonitor } from '../../../admin/process-monitor.ts';
import { openFilesLimit } from '../../../core/files/open-files.ts';
import { listenAddress } from '../../../core/http/listen-address.ts';
import { createMask } from '../../../core/secrets/mask.ts';
import type { RateGrant } from '../../../core/limits/rates.ts';
import { RecordedSpending, type SpendingTotals } from '../../../core/limits/recorded-spending.ts';
import { systemClock } from '../../../core/async/system-clock.ts';
import type { Generation } from '../../../pipeline/generation.ts';
import type { PluginMessage } from '../../../pipeline/shared-state.ts';
import type { RecordStore } from '../../../store/frame.ts';
import type { OwnerTable } from '../../../store/object-owners.ts';
import { openSpool } from '../../../store/spool.ts';
import type { Log, LogStyle } from '../../../telemetry/log.ts';
import { createOutbound, type Outbound } from '../../../transport/outbound/index.ts';
import { DefectLog } from '../../../telemetry/defect-log.ts';
import { logProcessWarnings } from '../../../telemetry/process-warnings.ts';
import { TimerWheel } from '../../../transport/wire/timer-wheel.ts';
import type { DrainPlan } from '../../drain.ts';
import { Generations } from '../../generations.ts';
import { dropReporter, outboundReporters } from '../../log/reporters.ts';
import { openObjectOwners } from '../../starting/object-owners.ts';
import { Runtime } from '../../runtime.ts';
import type { Registry } from '../../types.ts';
import type { ValidConfig } from '../../../config/reload/load.ts';
import { Channel } from '../channel.ts';
import { LeasedRates } from './leased-rates.ts';
import { LeasedShares } from './leased-shares.ts';
import type { Heartbeat, ReadinessState, WorkerStart } from '../messages.ts';
import { CoveredSockets } from './covered-sockets.ts';
import { createForwardingSpool } from './forwarding-spool.ts';
import { RequestReport } from './request-report.ts';
import { FiguresReport } from './figures-report.ts';

export interface WorkerParts {
  readonly registry: Registry;
  openLog(style: LogStyle): Log;
}

/** Milliseconds that a worker has to shut down after its supervisor ended. */
const orphanMs = 2000;

/** Serves in this process as a worker of its parent process, and ends with it. */
export function serveAsWorker(parts: WorkerParts): void {
  // A terminal sends its signals to all processes of the group: only the supervisor acts on them.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2']) process.on(signal, () => {});
  const worker = new WorkerServer(parts);
  process.on('message', (message, handle) => void worker.channel.receive(message, handle));
  process.on('disconnect', () => void worker.supervisorEnded());
  process.on('uncaughtException', worker.onDefect).on('unhandledRejection', worker.onDefect);
}

class WorkerServer {
  readonly channel: Channel;
  readonly #parts: WorkerParts;
  readonly #requests = new RequestReport((records) => this.channel.notify('records', records));
  readonly #shares: LeasedShares;
  readonly #rates = new LeasedRates((question) => this.channel.call('rate', question, undefined) as Promise<RateGrant>, systemClock.now);
  /** Own sockets, received before the start. */
  readonly #bound: SendHandle[] = [];
  readonly #coveredSockets = new CoveredSockets(() => this.#runtime?.sockets);
  readonly #figures = new FiguresReport({
    read: () => this.#runtime?.observing.figures(),
    send: (figures) => void this.channel.notify('figures', figures),
    monotonic: systemClock.monotonic,
  });
  readonly #spending = new RecordedSpending();
  readonly #process = new ProcessMonitor();
  readonly #notes: string[] = [];
  readonly #problems: string[] = [];
  readonly #spoolProblems: string[] = [];
  #readinessState: ReadinessState | undefined;
  #log: Log | undefined;
  #generations: Generations | undefined;
  #runtime: Runtime | undefined;
  #store: RecordStore | undefined;
  #owners: OwnerTable | undefined;
  /** A generation that is built but not active yet. */
  #prepared: Generation | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#shares = new LeasedShares({
      ask: (owner, limit) => this.channel.call('lease', { owner, limit }, undefined) as Promise<number>,
      giveBack: (owner, count) => void this.channel.notify('returned', { owner, count }),
    });
    // If the send fails, the supervisor is about to disconnect, which is handled by that event.
    this.channel = new Channel((message, handle) => !process.connected || (process.send?.(message, handle, {}, () => {}) ?? true), {
      socket: (_value: undefined, handle) => this.#bound.push(handle as SendHandle),
      start: (start: WorkerStart) => this.#start(start),
      connection: (_value: undefined, handle) => this.#take(handle as Socket),
      cover: (worker: number, handle) => this.#coveredSockets.open(worker, handle as SendHandle),
      uncover: (worker: number) => this.#coveredSockets.close(worker),
      prepare: (loaded: ValidConfig) => this.#prepare(loaded),
      commit: () => this.#commit(),
      abort: () => this.#abort(),
      beat: () => ({ ...this.#beat(), process: this.#process.read() }),
      figures: () => this.#runtime?.observing.figures(),
      spare: (owner: string) => this.#shares.returnUnused(owner),
      stored: (frames: Record<string, number>) => this.#store?.reportStored?.(frames),
      heard: ({ key, message }: PluginMessage) => this.#generations?.receive(key, message),
      state: (): readonly PluginMessage[] => this.#generations?.catchUp() ?? [],
      spending: (totals: SpendingTotals) => this.#spending.use(totals),
      follow: (isFollowed: boolean) => (this.#requests.isFollowed = isFollowed),
      style: ({ level, format }: LogStyle) => this.#log?.configure({ level, format }),
      shown: (shown: ReadinessState) => this.#show(shown),
      drain: (plan: DrainPlan) => this.#drain(plan),
      close: () => this.#close(),
    });
  }

  readonly onDefect = (error: unknown): void => {
    if (this.#runtime !== undefined) return this.#runtime.defect(error);
    if (this.#log === undefined) process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    this.#log?.error({ err: error }, 'an internal error ended the start of a worker process');
    void Promise.resolve(this.#log?.flush()).finally(() => process.exit(1));
  };

  /** The supervisor has ended: accepts nothing new, and ends running requests with a well-formed error. */
  async supervisorEnded(): Promise<void> {
    this.channel.close('the supervisor has ended');
    setTimeout(() => process.exit(1), orphanMs);
    await this.#close().catch(() => {});
    await this.#log?.flush();
    process.exit(0);
  }

  async #start(start: WorkerStart): Promise<void> {
    const log = this.#parts.openLog(start.log);
    this.#log = log;
    // The code of plugins knows the secrets, and runs from the next lines on.
    log.configure({ mask: createMask(start.loaded.secrets) });
    logProcessWarnings(process, log);
    this.#show(start.shown);
    this.#spending.use(start.spending);
    this.#rates.workers = start.workers;
    const wheel = new TimerWheel(new DefectLog(log, systemClock.monotonic).report);
    const outbound = this.#openOutbound(start, log, wheel);
    this.#generations = new Generations({
      registry: this.#parts.registry,
      log,
      outbound,
      spent: this.#spending.spent,
      rates: this.#rates,
      broadcast: (key, message) => void this.channel.notify('plugin', { key, message } satisfies PluginMessage),
      owners: async () => (this.#owners ??= await openObjectOwners(start.ownersDir, log)),
      ...systemClock,
    });
    const first = await this.#generations.build(start.loaded);
    await this.#join(this.#generations, log);
    this.#store = this.#openStore(start, log);
    const { workers: count } = start;
    const runtime = new Runtime(first, {
      listen: listenAddress(start.listen),
      clock: systemClock,
      wheel,
      store: this.#store,
      log,
      outbound,
      notes: this.#notes,
      problems: this.#problems,
      configState: (isDetailed) => (isDetailed ? this.#readiness().detailed : this.#readiness().brief),
      logs: () => undefined,
      openFiles: openFilesLimit(),
      spent: this.#spending.spent,
      onRequest: (record) => {
        this.#figures.hasChanges = true;
        this.#requests.add(record);
      },
      onRejected: () => (this.#figures.hasChanges = true),
      workers: { count, shares: this.#shares },
    });
    this.#runtime = runtime;
    log.configure({ mask: runtime.mask });
    await runtime.sockets.listenOn(this.#bound);
    setInterval(() => {
      this.channel.notify('beat', this.#beat());
      void this.#figures.reportIfDue();
    }, start.beatMs).unref();
  }

  #openOutbound({ env }: WorkerStart, log: Log, wheel: TimerWheel): Outbound {
    const settings = () => this.#runtime?.snapshot().server;
    return createOutbound({
      clock: systemClock,
      wheel,
      random: Math.random,
      egressAllow: () => settings()?.egressAllow ?? [],
      egressProxy: () => settings()?.egressProxy,
      fastPath: () => settings()?.fastPath ?? true,
      env,
      ...outboundReporters(log),
    });
  }

  /** Gets the plugin state of the other workers. A plugin that can't handle it has to do without. */
  async #join(generations: Generations, log: Log): Promise<void> {
    for (const { key, message } of (await this.channel.call('join', undefined, undefined)) as readonly PluginMessage[])
      try {
        generations.receive(key, message);
      } catch (error) {
        log.error({ err: error, key }, 'a plugin failed to handle the state of another worker');
      }
  }

  /** Serves a connection that the supervisor accepted. */
  #take(socket: Socket): void {
    socket.allowHalfOpen = true;
    this.#runtime?.sockets.serve(socket);
  }

  #openStore({ records, workers }: WorkerStart, log: Log): RecordStore {
    const reports = dropReporter(log, systemClock.monotonic, records.kind === 'spool' ? [this.#problems, this.#spoolProblems] : []);
    if (records.kind === 'spool') return openSpool({ dir: records.dir, maxTotal: records.maxTotal, writers: workers, ...reports });
    const send = (bytes: Buffer, frames: number): Promise<void> =>
      new Promise((resolve) => {
        if (!process.connected || process.send === undefined) resolve();
        else process.send({ name: 'append', value: { bytes, frames } }, undefined, {}, () => resolve());
      });
    const store = createForwardingSpool(send, workers, reports.onDrop);
    return records.kind === 'off' ? { ...store, append: () => {}, isOff: true } : store;
  }

  async #prepare(loaded: ValidConfig): Promise<void> {
    await this.#abort();
    this.#prepared = await this.#generations?.build(loaded);
  }

  #commit(): void {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    const runtime = this.#runtime;
    if (prepared === undefined || runtime === undefined) throw new Error('nothing was prepared');
    runtime.swap(prepared);
    this.#log?.configure({ mask: runtime.mask });
  }

  async #abort(): Promise<void> {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    await prepared?.dispose();
  }

  #beat(): Heartbeat {
    const runtime = this.#runtime;
    const store = this.#store;
    if (runtime === undefined || store === undefined) throw new Error('the worker does not serve yet');
    const { frames, bytes, dropped, evicted } = store.stats;
    const spool = { frames, bytes, dropped, evicted };
    const [problems, spoolProblems] = [[...this.#problems], [...this.#spoolProblems]];
    return { ...this.#requests.take(), activity: runtime.activity(), spool, unmasked: runtime.unmasked, problems, spoolProblems };
  }

  #show(shown: ReadinessState): void {
    this.#readinessState = shown;
    this.#notes.splice(0, this.#notes.length, ...shown.notes);
  }

  #readiness(): ReadinessState {
    if (this.#readinessState === undefined) throw new Error('the worker was not started');
    return this.#readinessState;
  }

  async #drain(plan: DrainPlan): Promise<Heartbeat> {
    await this.#runtime?.drain(plan);
    await this.#figures.end().catch(this.onDefect);
    return await this.#close();
  }

  /** Resolves to the last beat, after everything is written. */
  async #close(): Promise<Heartbeat> {
    this.#closing ??= this.#closeAll();
    await this.#closing;
    this.#requests.flush();
    await this.#log?.flush();
    return this.#beat();
  }

  async #closeAll(): Promise<void> {
    await this.#runtime?.close();
    await this.#abort();
    this.#owners?.close();
  }
}
