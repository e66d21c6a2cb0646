import { createReloader, type Reloader } from '../config/reload/reloader.ts';
import type { Clock } from '../core/context.ts';
import { createMask } from '../core/secrets/mask.ts';
import { defaultListen, listenAddress, type ListenSetting, listenText } from '../core/http/listen-address.ts';
import type { ObjectOwners } from '../core/objects/owners.ts';
import { type Gateway, type GatewayEvent, type GatewayOptions, type StartGateway, StartError } from './types.ts';
import { adminExposure, adminListen, openAdmin } from './admin/open.ts';
import type { AdminState } from './admin/state.ts';
import { Control } from './admin/control.ts';
import { openLoader } from './loading/open-loader.ts';
import type { DrainPlan } from './drain.ts';
import { eventOf } from './reload/event.ts';
import { outboundReporters } from './log/reporters.ts';
import { RunningGateway, shownUrl } from './running.ts';
import { LastGoodCopy } from './reload/last-good.ts';
import { openListener } from './open-listener.ts';
import { openObjectOwners, ownersFolder } from './object-owners.ts';
import type { Generation } from '../pipeline/generation.ts';
import { overriddenBy } from './reload/overridden.ts';
import { ReloadState } from './reload/state.ts';
import { Runtime } from './runtime.ts';
import type { Serving } from './serving.ts';
import { workersOf } from './workers/count.ts';
import { Subscribers } from './log/subscribers.ts';
import { compileRequestLog } from '../config/compile/logging/request-log.ts';
import { type OpenedLog, openLog } from './log/open.ts';
import type { RequestLog } from './log/request-log.ts';
import { exposureFault, openState, startFault } from './start-faults.ts';
import type { RecordStore } from '../store/frame.ts';
import type { OwnerTable } from '../store/object-owners.ts';
import { stateDirPath, type StateDirRequest } from '../store/state-dir.ts';
import type { MetricsPage } from '../transport/inbound/metrics-page.ts';
import { createProbeServer } from '../transport/inbound/probes.ts';
import { createOutbound, type Outbound } from '../transport/outbound/index.ts';
import { Generations } from './generations.ts';
import type { ValidConfig } from '../config/reload/load.ts';

/** The process's own time; worker processes have theirs in `workers/child/serve.ts`. */
const clock: Clock = { now: Date.now, monotonic: () => performance.now() };

/** Loads the configuration, opens the state directory and the listeners, and serves until it is drained or closed. */
export const startGateway: StartGateway = async (options) => {
  const starting = new Starting(options);
  try {
    return await starting.run();
  } catch (error) {
    await starting.undo();
    throw error;
  }
};

/** A start in progress: what was opened is closed again when a later step fails. */
class Starting {
  readonly #options: GatewayOptions;
  readonly #generations: Generations;
  readonly #outbound: Outbound;
  readonly #opened: (() => Promise<void> | void)[] = [];
  #serving: Serving | undefined;
  #loaded: ValidConfig | undefined;
  /** What the first configuration opens the data listener on: a reload can't move it. */
  #address: ListenSetting | undefined;
  /** Where the copy of what serves is kept; undefined where nothing is kept on disk. */
  #stateDir: string | undefined;
  readonly #lastGood: LastGoodCopy;
  readonly #notes: string[] = [];
  readonly #reloads = new ReloadState(clock.now);
  /** Of the first configuration: a reload can't move it. */
  #stateRequest: StateDirRequest | undefined;
  #owners: OwnerTable | undefined;
  readonly #subscribers: Subscribers;
  readonly #control: Control;
  #logs: RequestLog | undefined;
  #url = '';
  #madeReloader: Reloader | undefined;
  readonly #stop = Promise.withResolvers<Partial<DrainPlan>>();

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#lastGood = new LastGoodCopy(options);
    const { registry, log } = options;
    this.#subscribers = new Subscribers((error) => log.error({ err: error }, 'a listener to records failed'));
    this.#control = this.#makeControl();
    this.#outbound = createOutbound({
      clock,
      random: Math.random,
      egressAllow: () => this.#serving?.snapshot().server.egressAllow ?? [],
      fastPath: () => this.#serving?.snapshot().server.fastPath ?? true,
      env: options.env,
      ...outboundReporters(log),
    });
    this.#generations = new Generations({
      registry,
      log,
      outbound: this.#outbound,
      owners: () => this.#openOwners(),
      now: clock.now,
      monotonic: clock.monotonic,
    });
  }

  /** Never rejects: what cannot be closed must not keep the rest open. */
  async undo(): Promise<void> {
    for (const close of this.#opened.toReversed()) {
      try {
        await close();
      } catch (error) {
        this.#options.log.error({ err: error }, 'a part of the gateway could not be closed');
      }
    }
  }

  async run(): Promise<Gateway> {
    const { stop } = this.#options;
    const reloader = this.#reloader();
    this.#madeReloader = reloader;
    // Closed last, whenever it was opened: requests that end meanwhile still look into it.
    this.#opened.push(() => this.#owners?.close());
    this.#opened.push(() => reloader.close());
    // A load in progress is given up.
    const onStop = (): void => void reloader.close();
    stop?.addEventListener('abort', onStop);
    const first = await reloader.start();
    stop?.throwIfAborted();
    stop?.removeEventListener('abort', onStop);
    const loaded = this.#loaded;
    const serving = this.#serving;
    if (loaded === undefined || serving === undefined) throw startFault(first, this.#lastGood.fault);
    this.#reloads.started(loaded.revision, this.#lastGood.rejected, loaded.secrets);
    const notice = this.#lastGood.event(loaded.revision);
    if (notice !== undefined) this.#options.onEvent(notice);
    const url = await this.#listen(serving, loaded);
    this.#url = shownUrl(url);
    const admin = await this.#openAdmin(serving.page);
    stop?.throwIfAborted();
    const checkedMs = first.kind === 'applied' ? Math.round(first.ms) : undefined;
    return new RunningGateway(
      {
        serving,
        reloader,
        checkedMs,
        notes: this.#notes,
        logs: this.#logs,
        admin,
        stopAsked: this.#stop.promise,
        subscribe: (listener) => {
          if (serving.workers !== undefined) serving.follow(this.#subscribers.tell);
          return this.#subscribers.add(listener);
        },
        loaded: () => this.#loaded ?? loaded,
        undo: () => this.undo(),
      },
      url,
    );
  }

  #reloader(): Reloader {
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
      instead: (rejected) => this.#lastGood.instead(request, rejected),
      loader: this.#options.loader ?? openLoader(),
      watch: (watch ?? true) && 'path' in source,
      apply: (loaded) => this.#apply(loaded),
      onResult: (result) => {
        this.#reloads.took(result, this.#loaded?.secrets ?? []);
        this.#control.took(result, this.#loaded?.secrets ?? []);
        this.#tell(eventOf(result));
      },
      onFault: (error) => this.#options.log.warn({ err: error }, 'the system cannot watch files; the gateway checks them every 5 s'),
      now: clock.monotonic,
    });
  }

  /** Whoever listens must not end the chain of reloads. */
  #tell(event: GatewayEvent): void {
    try {
      this.#options.onEvent(event);
    } catch (error) {
      this.#options.log.error({ err: error }, 'a configuration event could not be logged');
    }
  }

  async #apply(loaded: ValidConfig): Promise<void> {
    const address = this.#address ?? this.#options.listen ?? loaded.tree.server?.listen ?? defaultListen;
    refuseExposure(this.#options, address, loaded, this.#loaded !== undefined && hasKeys(this.#loaded));
    this.#refuseAdminExposure(loaded);
    this.#stateRequest ??= this.#stateRequestOf(loaded);
    // What goes wrong from here on may repeat them.
    if (this.#loaded === undefined) this.#options.log.configure({ mask: createMask(loaded.secrets) });
    const generation = await this.#generations.build(loaded);
    try {
      await this.#serve(generation, loaded, address);
    } catch (error) {
      await generation.dispose().catch((err: unknown) => this.#options.log.error({ err }, 'a plugin failed to shut down'));
      throw error;
    }
    this.#address = address;
    this.#loaded = loaded;
    if (this.#stateDir !== undefined) await this.#lastGood.keep(loaded, this.#stateDir);
  }

  async #serve(generation: Generation, loaded: ValidConfig, address: ListenSetting): Promise<void> {
    if (this.#serving !== undefined) {
      await this.#serving.swap(generation, loaded);
      this.#logs?.keep(compileRequestLog(loaded.tree.logging).retention);
      return;
    }
    const workers = workersOf(this.#options, loaded);
    const serving = workers > 1 ? await this.#fleet(workers, generation, loaded) : this.#alone(generation, address, loaded);
    this.#serving = serving;
    this.#opened.push(() => serving.close());
  }

  #alone(generation: Generation, address: ListenSetting, loaded: ValidConfig): Serving {
    const { log, onEvent } = this.#options;
    this.#subscribers.add((record) => onEvent({ type: 'request', record }));
    const { spool: store } = this.#openStore(loaded, undefined);
    return new Runtime(generation, {
      listen: listenAddress(address),
      clock,
      store,
      log,
      outbound: this.#outbound,
      notes: this.#notes,
      configState: (isDetailed) => this.#reloads.current(isDetailed),
      logs: () => this.#logs,
      onRequest: this.#subscribers.tell,
    });
  }

  /** Loaded where it is needed: most gateways serve alone. */
  async #fleet(count: number, generation: Generation, loaded: ValidConfig): Promise<Serving> {
    const [{ Fleet }, { WorkersSpool }] = await Promise.all([import('./workers/fleet.ts'), import('./workers/spool.ts')]);
    const spool = new WorkersSpool();
    const { memory, place } = this.#openStore(loaded, spool);
    const { options, control } = { options: this.#options, control: this.#control };
    const { dir, remove } = ownersFolder(this.#stateRequest);
    this.#opened.push(remove, () => this.#outbound.close());
    const fleet = new Fleet(generation, loaded, {
      count,
      entry: options.workerEntry ?? notServing(),
      env: options.env,
      times: options.workerTimes,
      log: options.log,
      spool,
      memory,
      records: place,
      ownersDir: dir,
      notes: this.#notes,
      configState: (isDetailed) => this.#reloads.current(isDetailed),
      logs: () => this.#logs,
      now: clock.now,
      onBeat: (beat) => {
        control.absorb(beat);
        if (beat.finished > 0) options.onEvent({ type: 'requests', count: beat.finished });
      },
      onRecord: (record) => control.hub.tell(record),
      isFollowed: () => control.hub.isFollowed,
    });
    control.hub.onReader = () => fleet.look();
    return fleet;
  }

  #stateRequestOf({ tree }: ValidConfig): StateDirRequest {
    const { source, cwd, stateDir } = this.#options;
    const configPath = 'path' in source ? source.path : undefined;
    return {
      setting: stateDir ?? tree.server?.state_dir,
      configPath,
      cwd,
      isRequired: tree.server?.state_dir_required,
      isShared: tree.server?.state_dir_shared,
    };
  }

  async #openOwners(): Promise<ObjectOwners> {
    if (this.#owners !== undefined) return this.#owners;
    const dir = this.#stateRequest === undefined ? undefined : stateDirPath(this.#stateRequest);
    this.#owners = await openObjectOwners(dir, this.#options.log);
    return this.#owners;
  }

  #openStore(loaded: ValidConfig, ofWorkers: RecordStore | undefined): OpenedLog {
    const { log } = this.#options;
    const request = this.#stateRequestOf(loaded);
    const state = openState(request);
    if (state.kind === 'disk') {
      this.#stateDir = stateDirPath(request);
      this.#opened.push(() => state.release());
    }
    const opened = openLog({
      ofWorkers,
      state,
      settings: compileRequestLog(loaded.tree.logging),
      log,
      monotonic: clock.monotonic,
      notes: this.#notes,
    });
    this.#logs = opened.reader;
    this.#opened.push(opened.close);
    return opened;
  }

  #makeControl(): Control {
    return new Control({
      options: this.#options,
      serving: () => this.#serving ?? notServing(),
      loaded: () => this.#loaded ?? notServing(),
      logs: () => this.#logs,
      url: () => this.#url,
      now: clock.now,
      monotonic: clock.monotonic,
      notes: this.#notes,
      stateDir: () => this.#stateDir,
      reloader: () => this.#madeReloader ?? notServing(),
      outbound: () => this.#outbound,
      onRollback: (result) => {
        // One that failed does not mean that the files are wrong.
        if (result.kind !== 'rejected') this.#reloads.took(result, []);
        this.#tell(eventOf(result));
      },
      stop: (plan) => this.#stop.resolve(plan),
    });
  }

  /** A reload can't move the listener, but it can take the last token away. */
  #refuseAdminExposure({ tree }: ValidConfig): void {
    const entry = tree.server?.admin;
    if (this.#options.admin !== true || entry?.enabled === false) return;
    const fault = adminExposure(adminListen(this.#options, this.#loaded?.tree.server?.admin ?? entry), entry);
    if (fault !== undefined) throw fault;
  }

  async #openAdmin(metrics: MetricsPage): Promise<AdminState | undefined> {
    const control = this.#control;
    if (this.#options.admin !== true || control.settings().enabled === false) return undefined;
    this.#subscribers.add((record) => control.ended(record));
    void control.revisions.applied(control.loaded(), []);
    const onOpened = (close: () => Promise<void> | void): void => void this.#opened.push(close);
    return openAdmin({ options: this.#options, control, stateDir: this.#stateDir, metrics, onOpened });
  }

  async #listen(serving: Serving, { tree: { server } }: ValidConfig): Promise<string> {
    const url = await serving.listen(this.#address ?? '');
    const probes = this.#options.probeListen ?? server?.probe_listen;
    if (probes !== undefined) {
      const probeServer = createProbeServer(serving.probes(true), serving.page);
      const opened = await openListener(probeServer, probes, '--probe-listen');
      this.#opened.push(
        () => opened.release(),
        () => void probeServer.close(),
      );
    }
    return url;
  }
}

function notServing(): never {
  throw new Error('the gateway does not serve yet');
}

/** Callers are asked who they are: for keys or tokens, by a chain that looks at them. */
function hasKeys({ tree: { api_keys, auth }, asksForKeys }: ValidConfig): boolean {
  return asksForKeys && (Object.keys(api_keys ?? {}).length > 0 || auth?.jwt !== undefined);
}

/** Also on a reload: taking the last key away must not open what other hosts can reach, or what a proxy publishes. */
function refuseExposure({ source }: GatewayOptions, listen: ListenSetting, loaded: ValidConfig, hadKeys: boolean): void {
  const fault = exposureFault({
    listen: listenText(listen),
    hasKeys: hasKeys(loaded),
    hadKeys,
    isOpen: loaded.tree.server?.open === true,
    isTryOut: 'name' in source && source.name === 'try-out',
  });
  if (fault !== undefined) throw new StartError(fault);
}
