import { createHolder, type OwnedHolder } from '../../config/reload/holder.ts';
import type { ValidConfig } from '../../config/reload/load.ts';
import type { ProcessFigures } from '../../admin/process-monitor.ts';
import type { Activity } from '../../admin/managed-gateway.ts';
import { openFilesLimit } from '../../core/files/open-files.ts';
import type { ListenSetting } from '../../core/http/listen-address.ts';
import type { SpendingTotals } from '../../core/limits/recorded-spending.ts';
import type { LogRecord } from '../../core/records/record.ts';
import { createMask, type Mask } from '../../core/secrets/mask.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { withoutFullStop } from '../../core/text/wording.ts';
import { errorMessage } from '../../core/error.ts';
import type { ChainStep, Generation } from '../../pipeline/generation.ts';
import type { PluginMessage } from '../../pipeline/shared-state.ts';
import type { MetricsSnapshot } from '../../telemetry/metrics/snapshot.ts';
import type { MetricsPage } from '../../transport/inbound/metrics-page.ts';
import { createProbes, type Probes } from '../../transport/inbound/probes.ts';
import type { DrainPlan } from '../drain.ts';
import { socketsFor } from '../connection-limit.ts';
import { openAddress } from '../open-listener.ts';
import type { Serving, WorkerState } from '../serving.ts';
import { StartError } from '../types.ts';
import type { FleetDeps } from './fleet-deps.ts';
import { FleetMetrics } from './totals/metrics.ts';
import { WorkerGroup } from './group.ts';
import { KeyLeases } from './leases.ts';
import type { Heartbeat, HeartbeatTimes, RateQuestion, ReadinessState, WorkerStart } from './messages.ts';
import { WorkerProcess } from './process.ts';
import { HeartbeatTotals } from './totals/heartbeat-totals.ts';
import { Slot } from './slot.ts';
import { SocketCover } from './sockets/socket-cover.ts';
import { SharedSockets } from './sockets/shared.ts';
import { buildMs, commit, prepareAll } from './two-phases.ts';

const defaultTimes: HeartbeatTimes = { beatMs: 1000, maxMissed: 10 };
/** Number of missed beats from which a worker is shown as not responding. */
const silentAfterMissed = 3;
/** Timeout of a query to all workers, in milliseconds. */
const queryMs = 800;
/** Timeout for a worker to return the unused part of a key's limit, in milliseconds. */
const reclaimMs = 500;
/** Extra time for a shutdown to write records, exports and log lines, in milliseconds. */
const closeMs = 10_000;
/** How long the secrets of earlier configurations are masked, in milliseconds: their requests may still run. */
const pastMs = 3_600_000;

/** Worker processes that serve as one gateway: started, replaced, reloaded and drained together. This process itself serves no requests. */
export class Fleet implements Serving {
  readonly #deps: FleetDeps;
  readonly #times: HeartbeatTimes;
  readonly #holder: OwnedHolder<Generation>;
  readonly #group: WorkerGroup;
  readonly #leases: KeyLeases<WorkerProcess>;
  readonly #readings: HeartbeatTotals;
  readonly #metrics: FleetMetrics;
  readonly #earlierSecrets: { readonly secrets: readonly string[]; readonly until: number }[] = [];
  #loaded: ValidConfig;
  #mask: Mask;
  #sockets: SharedSockets | undefined;
  readonly #covers = new SocketCover();
  #listen: ListenSetting = '';
  #tick: NodeJS.Timeout | undefined;
  #lastShown = '';
  #style = '';
  /** Set when all workers have started to serve. */
  #isStarted = false;
  #isStopping = false;
  #isFollowed = false;

  constructor(first: Generation, loaded: ValidConfig, deps: FleetDeps) {
    this.#deps = deps;
    this.#times = { ...defaultTimes, ...deps.times };
    this.#loaded = loaded;
    this.#mask = createMask([...first.snapshot.secrets]);
    this.#holder = createHolder(
      first,
      (generation) => generation.dispose(),
      (error) => deps.log.error({ err: error }, 'a plugin failed to shut down'),
    );
    this.#readings = new HeartbeatTotals(deps.spool, deps.notes);
    this.#leases = new KeyLeases(deps.count, (process, owner) => process.channel.call('spare', owner, reclaimMs));
    const { now, configState, logs, spending } = deps;
    this.#metrics = new FleetMetrics({
      now,
      config: () => configState(false),
      spool: deps.spool.stats,
      masking: this.#readings.masking,
      logs,
      spent: spending.spent,
      snapshot: () => this.snapshot(),
      workers: () => this.workers(),
      figures: () => this.#group.callAll('figures', queryMs, (process, figures: MetricsSnapshot) => [process, figures] as const),
      onFault: (error) => this.defect(error),
    });
    deps.spool.settle = () => (deps.memory === undefined ? Promise.resolve() : this.refresh());
    deps.spool.onStored = (frames) => this.#group.notify('stored', frames);
    this.#group = new WorkerGroup(deps.count, (worker) => this.#slot(worker));
  }

  get mask(): Mask {
    return this.#mask;
  }

  readonly page: MetricsPage = {
    path: () => this.snapshot().observability.metrics?.path,
    render: () => this.#metrics.render(),
  };

  readonly workers = (): readonly WorkerState[] =>
    this.#group.slots.map(({ worker, process, restarts, lastEnd }) => ({
      worker,
      pid: process?.isAlive === true ? process.pid : undefined,
      state: this.#stateOf(process),
      restarts,
      lastEnd: lastEnd && { at: lastEnd.at, why: this.#mask.text(lastEnd.why) },
      requests: this.#readings.requests(worker),
      inFlight: this.#readings.inFlight(worker),
      figures: this.#readings.process(worker),
    }));

  snapshot(): Snapshot {
    return this.#holder.current().snapshot;
  }

  steps(): readonly ChainStep[] {
    return this.#holder.current().steps;
  }

  processes(): readonly ProcessFigures[] {
    return this.#readings.processes();
  }

  activity(): Activity {
    return this.#readings.activity(this.#isStopping);
  }

  async refresh(): Promise<void> {
    await this.#group.callAll('beat', queryMs, (process, beat: Heartbeat) => this.#beat(process, beat));
  }

  probes(isOperators: boolean): Probes {
    const { notes, configState: config } = this.#deps;
    const reasons = (): string[] => {
      if (this.#isStopping) return ['draining'];
      return this.#group.serving().length === 0 ? ['no worker serves'] : [];
    };
    const workers = () => this.workers().map(({ worker, pid, state }) => ({ worker, pid: pid ?? null, state }));
    return createProbes({ reasons, notes, config, workers }, isOperators);
  }

  async swap(generation: Generation, loaded: ValidConfig): Promise<void> {
    const prepared = await prepareAll(this.#group, loaded);
    this.#earlierSecrets.push({ secrets: this.#loaded.secrets, until: this.#deps.now() + pastMs });
    this.#loaded = loaded;
    const now = this.#deps.now();
    while ((this.#earlierSecrets[0]?.until ?? now) < now) this.#earlierSecrets.shift();
    this.#mask = createMask([...new Set([...loaded.secrets, ...this.#earlierSecrets.flatMap(({ secrets }) => secrets)])]);
    this.#holder.swap(generation);
    await Promise.all(this.#group.serving().map((process) => this.#commit(process, loaded, prepared.has(process))));
  }

  /** @param isPrepared false: the process replaced one that died during the reload */
  async #commit(process: WorkerProcess, loaded: ValidConfig, isPrepared: boolean): Promise<void> {
    try {
      await commit(process, loaded, isPrepared);
    } catch (error) {
      // It does not have the configuration of the others: it is replaced.
      if (process.isAlive) this.#deps.log.error({ err: error, worker: process.worker }, 'a worker could not change to the configuration');
      process.kill();
    }
  }

  useSpending(totals: SpendingTotals): void {
    this.#group.notify('spending', totals);
  }

  async listen(setting: ListenSetting): Promise<string> {
    this.#listen = setting;
    const { count } = this.#deps;
    const sockets = await openAddress(setting, '--listen', (address) =>
      SharedSockets.open(address, count, socketsFor(openFilesLimit(), count)),
    );
    this.#sockets = sockets;
    this.#tick = setInterval(() => this.#supervise(), this.#times.beatMs);
    try {
      await this.#group.begin();
    } catch (error) {
      throw new StartError({ exitCode: 1, message: `A worker process could not start: ${messageOf(error)}.`, cause: error });
    }
    this.#isStarted = true;
    this.#group.distribute(sockets.takeEarlyConnections());
    return sockets.url;
  }

  /** Tells the workers whether records are wanted, if that has changed. */
  updateFollowing(): void {
    const isFollowed = this.#deps.isFollowed();
    if (isFollowed === this.#isFollowed) return;
    this.#isFollowed = isFollowed;
    this.#group.notify('follow', isFollowed);
  }

  defect(error: unknown): void {
    this.#deps.log.error({ err: error }, 'an internal error in the supervisor process');
  }

  async drain(plan: DrainPlan): Promise<void> {
    this.#isStopping = true;
    // The workers still listen. Once they stop, new connections are refused, and not queued here by a socket that is then reset.
    this.#sockets?.close();
    await this.#end('drain', plan, plan.delayMs + plan.timeoutMs + closeMs);
  }

  async close(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#tick);
    this.#sockets?.close();
    await this.#end('close', undefined, closeMs);
    this.#sockets?.release();
    this.#sockets = undefined;
    this.#metrics.close();
    await this.#holder.close();
  }

  async #end(how: 'drain' | 'close', plan: DrainPlan | undefined, limitMs: number): Promise<void> {
    await this.#group.end(how, plan, limitMs, (process, beat) => this.#beat(process, beat as Heartbeat));
  }

  #slot(worker: number): Slot {
    const { log, now } = this.#deps;
    return new Slot({
      worker,
      log,
      now,
      open: (onEnd) => this.#open(worker, onEnd),
      begin: (process) => this.#begin(process),
      ended: (process) => {
        this.#leases.forget(process);
        this.#metrics.ended(process);
        this.#readings.forget(worker);
        this.#assignCovers();
      },
    });
  }

  #open(worker: number, onEnd: (why: string) => void): WorkerProcess {
    const { log, memory, entry } = this.#deps;
    const made: WorkerProcess = new WorkerProcess(
      worker,
      entry,
      {
        beat: (beat: Heartbeat) => this.#beat(made, beat),
        plugin: (pluginMessage: PluginMessage) =>
          this.#group.sharing(made).forEach(({ channel }) => channel.notify('heard', pluginMessage)),
        join: () => this.#join(made),
        figures: (figures: MetricsSnapshot) => this.#metrics.absorb(made, figures),
        records: (records: readonly LogRecord[]) => records.forEach((record) => this.#deps.onRecord(record)),
        append: ({ bytes, frames }: { bytes: Uint8Array; frames: number }) => memory?.take(new Uint8Array(bytes), frames),
        rate: ({ caller, rate, count, unused }: RateQuestion) => this.#deps.rates.grant(caller, rate, count, unused),
        lease: ({ owner, limit }: { owner: string; limit: number }) => this.#lease(made, owner, limit),
        returned: ({ owner, count }: { owner: string; count: number }) => this.#leases.returned(made, owner, count),
      },
      { onLines: (lines) => log.forwardLines(lines), onErrorText: (text) => process.stderr.write(text), onEnd },
    );
    return made;
  }

  /** The plugin state of the others, for a process that is about to serve. From now on, it gets their messages too. */
  async #join(process: WorkerProcess): Promise<readonly PluginMessage[]> {
    process.sharesState = true;
    for (const { worker, channel } of this.#group.sharing(process)) {
      try {
        return (await channel.call('state', undefined, queryMs)) as readonly PluginMessage[];
      } catch (error) {
        this.#deps.log.warn({ err: error, worker }, 'a worker did not hand its state over to a new one');
      }
    }
    return [];
  }

  async #begin(process: WorkerProcess): Promise<void> {
    const { worker } = process;
    const { count, log, env, records, ownersDir, spending } = this.#deps;
    const loaded = this.#loaded;
    const { beatMs } = this.#times;
    const start: WorkerStart = {
      worker,
      workers: count,
      loaded,
      env: { ...env },
      listen: this.#listen,
      log: log.style,
      records,
      ownersDir,
      spending: spending.totals,
      shown: this.#currentState(),
      beatMs,
    };
    if (this.#sockets === undefined) throw new Error('the gateway is stopped');
    for (const socket of this.#sockets.of(worker)) process.channel.notify('socket', undefined, socket);
    await process.channel.call('start', start, buildMs);
    process.isServing = true;
    process.missedBeats = 0;
    if (spending.totals !== start.spending) process.channel.notify('spending', spending.totals);
    if (this.#isFollowed) process.channel.notify('follow', true);
    // A reload may have ended meanwhile: apply its configuration, too.
    for (let served = loaded; served !== this.#loaded; ) {
      served = this.#loaded;
      await commit(process, served, false);
    }
    this.#assignCovers();
  }

  async #lease(process: WorkerProcess, owner: string, limit: number): Promise<number> {
    const count = await this.#leases.lease(process, owner, limit);
    if (!process.isAlive) this.#leases.forget(process);
    return count;
  }

  #beat(process: WorkerProcess, beat: Heartbeat): void {
    process.missedBeats = 0;
    if (!process.isAlive && process.lastBeat === undefined) return;
    this.#readings.add(process.worker, beat, process.lastBeat);
    process.lastBeat = beat;
    this.#deps.onBeat(beat);
  }

  /** Runs once per beat: replaces workers that are silent for too long, and sends changed state to all. */
  #supervise(): void {
    const { log } = this.#deps;
    for (const process of this.#group.serving()) {
      process.missedBeats += 1;
      if (process.missedBeats <= this.#times.maxMissed) continue;
      log.error({ worker: process.worker, pid: process.pid }, 'a worker does not respond: it is ended and replaced');
      process.kill();
    }
    this.#assignCovers();
    this.#readings.troubles(this.#group.slots.flatMap(({ trouble }) => (trouble === undefined ? [] : [this.#mask.text(trouble)])));
    this.updateFollowing();
    const shown = this.#currentState();
    const text = JSON.stringify(shown);
    if (text !== this.#lastShown) this.#group.notify('shown', shown);
    this.#lastShown = text;
    const style = JSON.stringify(log.style);
    if (this.#style !== '' && style !== this.#style) this.#group.notify('style', log.style);
    this.#style = style;
  }

  #assignCovers(): void {
    if (this.#isStarted && !this.#isStopping)
      this.#covers.assign(
        this.#sockets,
        this.#group.slots.map(({ worker }) => worker),
        this.#group.serving().filter(({ missedBeats }) => missedBeats < silentAfterMissed),
      );
  }

  #currentState(): ReadinessState {
    const { notes, configState } = this.#deps;
    return { notes: [...notes], brief: configState(false), detailed: configState(true) };
  }

  #stateOf(process: WorkerProcess | undefined): WorkerState['state'] {
    if (process?.isAlive !== true) return 'waiting';
    if (!process.isServing) return 'starting';
    if (this.#isStopping) return 'stopping';
    return process.missedBeats >= silentAfterMissed ? 'silent' : 'serving';
  }
}

const messageOf = (error: unknown): string => withoutFullStop(errorMessage(error));
