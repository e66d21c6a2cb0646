import { createReloader, type Reloader } from '../config/reload/reloader.ts';
import type { ValidConfig } from '../config/reload/load.ts';
import { openFilesLimit } from '../core/files/open-files.ts';
import { createMask } from '../core/secrets/mask.ts';
import { defaultListen, listenAddress, type ListenSetting, listenText } from '../core/http/listen-address.ts';
import { schedule } from '../core/async/schedule.ts';
import { Rates } from '../core/limits/rates.ts';
import { RecordedSpending } from '../core/limits/recorded-spending.ts';
import { systemClock } from '../core/async/system-clock.ts';
import type { Generation } from '../pipeline/generation.ts';
import type { MetricsPage } from '../transport/inbound/metrics-page.ts';
import { createProbeServer } from '../transport/inbound/probes.ts';
import { createOutbound, type Outbound } from '../transport/outbound/index.ts';
import { DefectLog } from '../telemetry/defect-log.ts';
import { TimerWheel } from '../transport/wire/timer-wheel.ts';
import { adminListen, openAdmin } from './admin/open.ts';
import type { AdminState } from './admin/state.ts';
import { Control } from './admin/control.ts';
import type { DrainPlan } from './drain.ts';
import { Generations } from './generations.ts';
import { openLoader } from './loading/open-loader.ts';
import { outboundReporters } from './log/reporters.ts';
import { RecordListeners } from './log/record-listeners.ts';
import { openListener } from './open-listener.ts';
import { eventOf } from './reload/event.ts';
import { LastGoodCopy } from './reload/last-good.ts';
import { overriddenBy } from './reload/overridden.ts';
import { ReloadState } from './reload/state.ts';
import { RunningGateway } from './running.ts';
import { Runtime } from './runtime.ts';
import type { Serving } from './serving.ts';
import { SpendingReader } from './spending/spending-reader.ts';
import { refuseAdminExposure, refuseEmptyCatalog, refuseExposure, startFault } from './starting/refusals.ts';
import { ConnectionNote } from './starting/connection-note.ts';
import { Storage } from './starting/storage.ts';
import type { Gateway, GatewayEvent, GatewayOptions, StartGateway } from './types.ts';
import { workersOf } from './workers/count.ts';

/** Loads the configuration, opens the state directory and the listeners, and serves until drained or closed. */
export const startGateway: StartGateway = async (options) => {
  const gatewayStart = new GatewayStart(options);
  try {
    return await gatewayStart.run();
  } catch (error) {
    await gatewayStart.closeAll();
    throw error;
  }
};

/**
 * A start in progress, in the order of its methods: the reloader loads the first configuration and has it applied,
 * which builds the generation and opens the serving side; then the listeners are opened. Opened resources are closed
 * again if a later step fails, and when the gateway ends. Later configurations take the same path and find everything
 * open.
 */
class GatewayStart {
  readonly #options: GatewayOptions;
  readonly #notes: string[] = [];
  readonly #openFiles = openFilesLimit();
  readonly #connectionNote: ConnectionNote;
  /** Functions that close the opened resources. */
  readonly #closers: (() => Promise<void> | void)[] = [];
  readonly #onOpened = (close: () => Promise<void> | void): void => void this.#closers.push(close);
  readonly #stop = Promise.withResolvers<Partial<DrainPlan>>();
  readonly #subscribers: RecordListeners;
  readonly #reloads = new ReloadState(systemClock.now);
  readonly #lastGood: LastGoodCopy;
  readonly #storage: Storage;
  readonly #outbound: Outbound;
  readonly #spending = new RecordedSpending();
  readonly #rates = new Rates(systemClock.now);
  readonly #spendingReader: SpendingReader;
  readonly #wheel: TimerWheel;
  readonly #generations: Generations;
  readonly #control: Control;
  readonly #reloader: Reloader;
  /** The serving side and its configuration; undefined until the first configuration was applied. */
  #serving: Serving | undefined;
  #loaded: ValidConfig | undefined;
  /** Data listener address of the first configuration: a reload can't change it. */
  #address: ListenSetting | undefined;
  /** The same of the admin listener. */
  #adminAddress: ListenSetting | undefined;
  #url = '';

  constructor(options: GatewayOptions) {
    const { registry, log } = options;
    const { monotonic, now } = systemClock;
    this.#options = options;
    this.#subscribers = new RecordListeners((error) => log.error({ err: error }, 'a listener to records failed'));
    this.#lastGood = new LastGoodCopy(options);
    this.#connectionNote = new ConnectionNote(this.#notes, log, this.#openFiles);
    this.#storage = new Storage({ options, notes: this.#notes, monotonic, onOpened: this.#onOpened });
    this.#wheel = new TimerWheel(new DefectLog(log, monotonic).report);
    this.#outbound = createOutbound({
      clock: systemClock,
      wheel: this.#wheel,
      random: Math.random,
      egressAllow: () => this.#serving?.snapshot().server.egressAllow ?? [],
      egressProxy: () => this.#serving?.snapshot().server.egressProxy,
      fastPath: () => this.#serving?.snapshot().server.fastPath ?? true,
      env: options.env,
      ...outboundReporters(log),
    });
    const { spent } = this.#spending;
    const rates = this.#rates;
    const owners = () => this.#storage.owners();
    this.#generations = new Generations({ registry, log, outbound: this.#outbound, spent, rates, owners, now, monotonic });
    this.#spendingReader = new SpendingReader({
      snapshot: () => this.#serving?.snapshot() ?? notServing(),
      logs: () => this.#storage.logs,
      onRead: (totals) => {
        this.#spending.use(totals);
        this.#serving?.useSpending?.(totals);
      },
      onFault: (err) => log.warn({ err }, 'the request log cannot be read: budgets include only what this process has seen'),
      schedule,
      now,
    });
    this.#control = this.#makeControl();
    this.#reloader = this.#makeReloader();
  }

  async run(): Promise<Gateway> {
    const { stop } = this.#options;
    // Closed last, whenever it was opened: requests still use it during shutdown.
    this.#onOpened(() => this.#storage.closeOwners());
    const { serving, loaded, checkedMs } = await this.#load();
    const { url, probes } = await this.#listen(serving, loaded);
    this.#url = shownUrl(url);
    const admin = await this.#openAdmin(serving.page);
    stop?.throwIfAborted();
    return new RunningGateway({
      url: this.#url,
      serving,
      reloader: this.#reloader,
      checkedMs,
      notes: this.#notes,
      logs: this.#storage.logs,
      admin,
      probes,
      shutdownRequested: this.#stop.promise,
      loaded: () => this.#loaded ?? loaded,
      closeAll: () => this.closeAll(),
    });
  }

  /** Never rejects: a resource that fails to close must not keep the others open. */
  async closeAll(): Promise<void> {
    // The reloader is closed first: no configuration is applied to what is being closed.
    for (const close of [...this.#closers, () => this.#reloader.close()].toReversed()) {
      try {
        await close();
      } catch (error) {
        this.#options.log.error({ err: error }, 'a part of the gateway could not be closed');
      }
    }
  }

  /** Loads and applies the first configuration. @throws StartError if it can't be applied */
  async #load(): Promise<{ readonly serving: Serving; readonly loaded: ValidConfig; readonly checkedMs: number | undefined }> {
    const { stop, onEvent } = this.#options;
    const reloader = this.#reloader;
    // An abort cancels a load in progress.
    const onStop = (): void => void reloader.close();
    stop?.addEventListener('abort', onStop);
    const first = await reloader.start();
    stop?.throwIfAborted();
    stop?.removeEventListener('abort', onStop);
    const loaded = this.#loaded;
    const serving = this.#serving;
    if (loaded === undefined || serving === undefined) throw startFault(first, this.#lastGood.fault);
    this.#reloads.firstLoadEnded(loaded.revision, this.#lastGood.rejected, loaded.secrets);
    const notice = this.#lastGood.usedEvent(loaded.revision);
    if (notice !== undefined) onEvent(notice);
    return { serving, loaded, checkedMs: first.kind === 'applied' ? Math.round(first.ms) : undefined };
  }

  #makeReloader(): Reloader {
    const { source, cwd, env, watch, allowMissingSecrets } = this.#options;
    const request = {
      source,
      cwd,
      env,
      start: { overridden: overriddenBy(this.#options) },
      ...(allowMissingSecrets === undefined ? {} : { allowMissingSecrets }),
    };
    return createReloader({
      request,
      fallbackRequest: (rejected) => this.#lastGood.replacementFor(request, rejected),
      loader: this.#options.loader ?? openLoader(),
      watch: (watch ?? true) && 'path' in source,
      apply: (loaded) => this.#apply(loaded),
      onResult: (result) => {
        this.#reloads.loadEnded(result, this.#loaded?.secrets ?? []);
        this.#control.reloadEnded(result, this.#loaded?.secrets ?? []);
        this.#emit(eventOf(result));
      },
      onFault: (error) => this.#options.log.warn({ err: error }, 'the system cannot watch files; the gateway checks them every 5 s'),
      now: systemClock.monotonic,
    });
  }

  /** A failing listener must not break the sequence of reloads. */
  #emit(event: GatewayEvent): void {
    try {
      this.#options.onEvent(event);
    } catch (error) {
      this.#options.log.error({ err: error }, 'a configuration event could not be logged');
    }
  }

  /** Makes a configuration active, the first or a later one. If it throws, nothing has changed. */
  async #apply(loaded: ValidConfig): Promise<void> {
    const address = this.#address ?? this.#options.listen ?? loaded.tree.server?.listen ?? defaultListen;
    refuseExposure(this.#options, address, loaded, this.#loaded);
    refuseEmptyCatalog(loaded, this.#loaded);
    const adminAddress = this.#adminAddress ?? adminListen(this.#options, loaded.tree.server?.admin);
    refuseAdminExposure(this.#options, adminAddress, loaded);
    this.#storage.locate(loaded);
    // Errors from here on may contain its secrets.
    if (this.#loaded === undefined) this.#options.log.configure({ mask: createMask(loaded.secrets) });
    const generation = await this.#generations.build(loaded);
    try {
      await this.#serve(generation, loaded, address);
    } catch (error) {
      await generation.dispose().catch((err: unknown) => this.#options.log.error({ err }, 'a plugin failed to shut down'));
      throw error;
    }
    this.#connectionNote.update(generation.snapshot.server.maxConnections, this.#serving?.workers?.().length ?? 1);
    this.#address = address;
    this.#adminAddress = adminAddress;
    this.#loaded = loaded;
    this.#spendingReader.configured();
    const { dir } = this.#storage;
    if (dir !== undefined) await this.#lastGood.keep(loaded, dir);
  }

  async #serve(generation: Generation, loaded: ValidConfig, address: ListenSetting): Promise<void> {
    if (this.#serving !== undefined) {
      await this.#serving.swap(generation, loaded);
      this.#storage.keep(loaded);
      return;
    }
    const workers = workersOf(this.#options, loaded);
    const serving = workers > 1 ? await this.#fleet(workers, generation, loaded) : this.#alone(generation, address, loaded);
    this.#serving = serving;
    this.#onOpened(() => serving.close());
    // Before the request log is closed, which it reads.
    this.#onOpened(() => this.#spendingReader.close());
  }

  #alone(generation: Generation, address: ListenSetting, loaded: ValidConfig): Serving {
    const { log, onEvent } = this.#options;
    this.#subscribers.add((record) => onEvent({ type: 'request', record }));
    const { spool: store } = this.#storage.openLog(loaded);
    return new Runtime(generation, {
      listen: listenAddress(address),
      clock: systemClock,
      wheel: this.#wheel,
      store,
      log,
      outbound: this.#outbound,
      notes: this.#notes,
      problems: this.#notes,
      configState: (isDetailed) => this.#reloads.current(isDetailed),
      logs: () => this.#storage.logs,
      openFiles: this.#openFiles,
      maskingMs: this.#options.maskingMs,
      spent: this.#spending.spent,
      onRequest: this.#subscribers.notify,
    });
  }

  /** Imported on demand: most gateways run without workers. */
  async #fleet(count: number, generation: Generation, loaded: ValidConfig): Promise<Serving> {
    const [{ Fleet }, { WorkersSpool }] = await Promise.all([import('./workers/fleet.ts'), import('./workers/spool.ts')]);
    const options = this.#options;
    const control = this.#control;
    const spool = new WorkersSpool();
    const { memory, destination } = this.#storage.openLog(loaded, spool);
    const ownersDir = this.#storage.ownersFolder();
    this.#onOpened(() => this.#outbound.close());
    const fleet = new Fleet(generation, loaded, {
      count,
      entry: options.workerEntry ?? notServing(),
      env: options.env,
      times: options.workerTimes,
      log: options.log,
      spool,
      memory,
      records: destination,
      ownersDir,
      notes: this.#notes,
      configState: (isDetailed) => this.#reloads.current(isDetailed),
      logs: () => this.#storage.logs,
      now: systemClock.now,
      spending: this.#spending,
      rates: this.#rates,
      onBeat: (beat) => {
        control.addWorkerCounts(beat);
        if (beat.finished > 0) options.onEvent({ type: 'requests', count: beat.finished });
      },
      onRecord: (record) => control.hub.publish(record),
      isFollowed: () => control.hub.isFollowed,
    });
    control.hub.onReader = () => fleet.updateFollowing();
    return fleet;
  }

  async #listen(serving: Serving, { tree: { server } }: ValidConfig): Promise<Pick<Gateway, 'url' | 'probes'>> {
    const url = await serving.listen(this.#address ?? '');
    const probes = this.#options.probeListen ?? server?.probe_listen;
    if (probes === undefined) return { url, probes };
    const probeServer = createProbeServer(serving.probes(true), serving.page);
    const opened = await openListener(probeServer, probes, '--probe-listen');
    this.#onOpened(() => opened.release());
    this.#onOpened(() => void probeServer.close());
    const port = /:\d+$/.exec(opened.url)?.[0] ?? '';
    return { url, probes: listenText(probes).replace(/:0$/, port) };
  }

  async #openAdmin(metrics: MetricsPage): Promise<AdminState | undefined> {
    const control = this.#control;
    if (this.#options.admin !== true || control.settings().enabled === false) return undefined;
    this.#subscribers.add((record) => control.requestEnded(record));
    void control.revisions.applied(control.loaded(), []);
    return openAdmin({ options: this.#options, control, stateDir: this.#storage.dir, metrics, onOpened: this.#onOpened });
  }

  #makeControl(): Control {
    return new Control({
      options: this.#options,
      serving: () => this.#serving ?? notServing(),
      loaded: () => this.#loaded ?? notServing(),
      logs: () => this.#storage.logs,
      url: () => this.#url,
      now: systemClock.now,
      monotonic: systemClock.monotonic,
      notes: this.#notes,
      stateDir: () => this.#storage.dir,
      rates: this.#rates,
      reloader: () => this.#reloader,
      outbound: () => this.#outbound,
      onRollback: (result) => {
        // A failed rollback does not mean that the files are invalid.
        if (result.kind !== 'rejected') this.#reloads.loadEnded(result, []);
        this.#emit(eventOf(result, true));
      },
      stop: (plan) => this.#stop.resolve(plan),
    });
  }
}

/** The base URL for clients. A Unix socket has none. */
const shownUrl = (url: string): string => (url.startsWith('unix:') ? url : `${url}/v1`);

function notServing(): never {
  throw new Error('the gateway does not serve yet');
}
