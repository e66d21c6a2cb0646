import { createReloader, type Reloader, type ReloadResult } from '../config/reload/reloader.ts';
import type { Clock } from '../core/context.ts';
import { createMask } from '../core/secrets/mask.ts';
import { listenAddress, type ListenSetting, listenText } from '../core/http/listen-address.ts';
import type { ObjectOwners } from '../core/objects/owners.ts';
import { type Gateway, type GatewayEvent, type GatewayOptions, type StartGateway, StartError } from './types.ts';
import { adminExposure, adminListen, openAdmin } from './admin/open.ts';
import type { AdminState } from './admin/state.ts';
import { Control } from './admin/control.ts';
import { openLoader } from './loading/open-loader.ts';
import { acceptReporter } from './log/reporters.ts';
import type { DrainPlan } from './drain.ts';
import { eventOf } from './reload/event.ts';
import { RunningGateway, shownUrl } from './running.ts';
import { LastGoodCopy } from './reload/last-good.ts';
import { openListener } from './open-listener.ts';
import { openObjectOwners } from './object-owners.ts';
import type { Generation } from '../pipeline/generation.ts';
import { ReloadState } from './reload/state.ts';
import { Runtime } from './runtime.ts';
import { Subscribers } from './log/subscribers.ts';
import { compileRequestLog } from '../config/compile/logging/request-log.ts';
import { openLog } from './log/open.ts';
import type { RequestLog } from './log/request-log.ts';
import { exposureFault } from './start-faults.ts';
import type { RecordStore } from '../store/frame.ts';
import type { OwnerTable } from '../store/object-owners.ts';
import { openStateDir, type StateDir, StateDirError, StateDirHeld, stateDirPath, type StateDirRequest } from '../store/state-dir.ts';
import type { MetricsPage } from '../transport/inbound/metrics-page.ts';
import { createProbeServer } from '../transport/inbound/probes.ts';
import { createOutbound, type Outbound } from '../transport/outbound/index.ts';
import { Generations } from './generations.ts';
import type { ValidConfig } from '../config/reload/load.ts';

/** The process's own time; the only place that reads it for requests. */
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
  #runtime: Runtime | undefined;
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
      egressAllow: () => this.#runtime?.holder.current().snapshot.server.egressAllow ?? [],
      fastPath: () => this.#runtime?.holder.current().snapshot.server.fastPath ?? true,
      env: options.env,
      onTokenFault: (error) => log.warn({ err: error }, 'a token could not be renewed; the old one is used until it expires'),
      onKeysFault: (error) => log.warn({ err: error }, "the public keys of the tokens' issuer could not be fetched"),
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

  async undo(): Promise<void> {
    for (const close of this.#opened.toReversed()) await close();
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
    const runtime = this.#runtime;
    if (loaded === undefined || runtime === undefined) throw startFault(first, this.#lastGood.fault);
    this.#reloads.started(loaded.revision, this.#lastGood.rejected, loaded.secrets);
    const notice = this.#lastGood.event(loaded.revision);
    if (notice !== undefined) this.#options.onEvent(notice);
    const url = await this.#listen(runtime, loaded);
    this.#url = shownUrl(url);
    const admin = await this.#openAdmin(runtime.observing.page);
    stop?.throwIfAborted();
    const checkedMs = first.kind === 'applied' ? Math.round(first.ms) : undefined;
    return new RunningGateway(
      {
        runtime,
        reloader,
        checkedMs,
        notes: this.#notes,
        logs: this.#logs,
        admin,
        stopAsked: this.#stop.promise,
        subscribe: (listener) => this.#subscribers.add(listener),
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
    const address = this.#address ?? this.#options.listen ?? loaded.tree.server?.listen ?? '127.0.0.1:8787';
    refuseExposure(this.#options, address, loaded, this.#loaded !== undefined && hasKeys(this.#loaded));
    this.#refuseAdminExposure(loaded);
    this.#stateRequest ??= this.#stateRequestOf(loaded);
    // What goes wrong from here on may repeat them.
    if (this.#loaded === undefined) this.#options.log.configure({ mask: createMask(loaded.secrets) });
    const generation = await this.#generations.build(loaded);
    try {
      this.#serve(generation, loaded, address);
    } catch (error) {
      await generation.dispose();
      throw error;
    }
    this.#address = address;
    this.#loaded = loaded;
    if (this.#stateDir !== undefined) await this.#lastGood.keep(loaded, this.#stateDir);
  }

  #serve(generation: Generation, loaded: ValidConfig, address: ListenSetting): void {
    if (this.#runtime !== undefined) {
      this.#runtime.swap(generation);
      this.#logs?.keep(compileRequestLog(loaded.tree.logging).retention);
      return;
    }
    const { log, onEvent } = this.#options;
    this.#subscribers.add((record) => onEvent({ type: 'request', record }));
    const store = this.#openStore(loaded);
    const runtime = new Runtime(generation, {
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
    this.#runtime = runtime;
    this.#opened.push(() => runtime.close());
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

  #openStore(loaded: ValidConfig): RecordStore {
    const { log } = this.#options;
    const request = this.#stateRequestOf(loaded);
    const state = openState(request);
    if (state.kind === 'disk') {
      this.#stateDir = stateDirPath(request);
      this.#opened.push(() => state.release());
    }
    const { spool, reader, close } = openLog({
      state,
      settings: compileRequestLog(loaded.tree.logging),
      log,
      monotonic: clock.monotonic,
      notes: this.#notes,
    });
    this.#logs = reader;
    this.#opened.push(close);
    return spool;
  }

  #makeControl(): Control {
    return new Control({
      options: this.#options,
      runtime: () => this.#runtime ?? notServing(),
      loaded: () => this.#loaded ?? notServing(),
      logs: () => this.#logs,
      url: () => this.#url,
      now: clock.now,
      monotonic: clock.monotonic,
      notes: this.#notes,
      stateDir: () => this.#stateDir,
      reloader: () => this.#madeReloader ?? notServing(),
      outbound: () => this.#outbound,
      onReload: (event) => this.#tell(event),
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

  async #listen(runtime: Runtime, loaded: ValidConfig): Promise<string> {
    const { server } = loaded.tree;
    const { log } = this.#options;
    const { url, release } = await openListener(runtime.server, this.#address ?? '', '--listen');
    this.#opened.push(release);
    runtime.server.on('error', acceptReporter(log, clock.monotonic));
    const probes = this.#options.probeListen ?? server?.probe_listen;
    if (probes !== undefined) {
      const probeServer = createProbeServer(runtime.probes(true), runtime.observing.page);
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

/** What the file says about these decides nothing. */
function overriddenBy({ listen, probeListen, admin, adminListen, stateDir }: GatewayOptions): Overridden[] {
  const flags = [
    ['listen', listen],
    ['probe_listen', probeListen],
    ['admin.listen', admin === true ? adminListen : ''],
    ['state_dir', stateDir],
  ] as const;
  return flags.flatMap(([key, value]) => (value === undefined ? [] : [key]));
}

type Overridden = 'listen' | 'probe_listen' | 'admin.listen' | 'state_dir';

const heldHint =
  'Stop it, or write another server.state_dir for this one. With server.state_dir_shared: true each has a folder of its own in it.';

function openState(request: StateDirRequest): StateDir {
  try {
    return openStateDir(request);
  } catch (error) {
    if (error instanceof StateDirHeld) throw new StartError({ exitCode: 1, message: error.message, hint: heldHint });
    if (error instanceof StateDirError)
      throw new StartError({ exitCode: 3, message: error.message, hint: 'without state_dir_required the gateway serves from memory' });
    throw error;
  }
}

/** What a start says when its first configuration can't serve. */
function startFault(result: ReloadResult, hint: string | undefined): Error {
  if (result.kind !== 'rejected') return new Error('the initial configuration was not applied');
  if (result.cause instanceof StartError) return result.cause;
  const message = result.cause instanceof Error ? result.cause.message : 'The configuration is invalid.';
  return new StartError({ exitCode: 3, message, hint, diagnostics: result.diagnostics, cause: result.cause });
}
