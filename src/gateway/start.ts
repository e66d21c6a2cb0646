import { join } from 'node:path';
import { createLoader } from '../config/reload/loader.ts';
import { createReloader, type Reloader, type ReloadResult } from '../config/reload/reloader.ts';
import type { Clock } from '../core/context.ts';
import { listenAddress, type ListenSetting, listenText } from '../core/http/listen-address.ts';
import type { ObjectOwners } from '../core/objects/owners.ts';
import type { Snapshot } from '../core/snapshot.ts';
import { type Gateway, type GatewayEvent, type GatewayOptions, type StartGateway, StartError } from './types.ts';
import { LastGoodCopy } from './reload/last-good.ts';
import { openListener } from './open-listener.ts';
import { openObjectOwners } from './object-owners.ts';
import type { Generation } from '../pipeline/generation.ts';
import { ReloadState } from './reload/state.ts';
import { Runtime } from './runtime.ts';
import { exposureFault } from './start-faults.ts';
import type { Drop, RecordStore } from '../store/frame.ts';
import type { OwnerTable } from '../store/object-owners.ts';
import { openMemory } from '../store/memory.ts';
import { openSpool } from '../store/spool.ts';
import { openStateDir, spoolFolder, type StateDir, StateDirError, stateDirPath, type StateDirRequest } from '../store/state-dir.ts';
import type { Log } from '../telemetry/log.ts';
import { createProbeServer } from '../transport/inbound/probes.ts';
import { createOutbound, type Outbound } from '../transport/outbound/index.ts';
import { Generations } from './generations.ts';
import type { ValidConfig } from '../config/reload/load.ts';

/** The process's own time; the only place that reads it for requests. */
const clock: Clock = { now: Date.now, monotonic: () => performance.now() };

/** Records kept in memory when there is no state directory, in bytes. */
const memorySize = 32 * 1024 * 1024;

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

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#lastGood = new LastGoodCopy(options);
    const { registry, log } = options;
    this.#outbound = createOutbound({
      clock,
      random: Math.random,
      egressAllow: () => this.#runtime?.holder.current().snapshot.server.egressAllow ?? [],
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
    const urls = await this.#listen(runtime, loaded);
    stop?.throwIfAborted();
    const checkedMs = first.kind === 'applied' ? Math.round(first.ms) : undefined;
    return new RunningGateway(
      { runtime, reloader, checkedMs, notes: this.#notes, loaded: () => this.#loaded ?? loaded, undo: () => this.undo() },
      urls,
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
      loader: createLoader(new URL('./config-worker.js', import.meta.url)),
      watch: (watch ?? true) && 'path' in source,
      apply: (loaded) => this.#apply(loaded),
      onResult: (result) => {
        this.#reloads.took(result, this.#loaded?.secrets ?? []);
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
    this.#stateRequest ??= this.#stateRequestOf(loaded);
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
      return;
    }
    const { log, onEvent } = this.#options;
    const store = this.#openStore(loaded, generation.snapshot.log.spoolSize);
    const runtime = new Runtime(generation, {
      listen: listenAddress(address),
      clock,
      store,
      log,
      outbound: this.#outbound,
      notes: this.#notes,
      configState: (isDetailed) => this.#reloads.current(isDetailed),
      onRequest: (record) => onEvent({ type: 'request', record }),
    });
    this.#runtime = runtime;
    this.#opened.push(() => runtime.close());
  }

  #stateRequestOf({ tree }: ValidConfig): StateDirRequest {
    const { source, cwd, stateDir } = this.#options;
    const configPath = 'path' in source ? source.path : undefined;
    return { setting: stateDir ?? tree.server?.state_dir, configPath, cwd, isRequired: tree.server?.state_dir_required };
  }

  async #openOwners(): Promise<ObjectOwners> {
    if (this.#owners !== undefined) return this.#owners;
    const dir = this.#stateRequest === undefined ? undefined : stateDirPath(this.#stateRequest);
    this.#owners = await openObjectOwners(dir, this.#options.log);
    return this.#owners;
  }

  #openStore(loaded: ValidConfig, spoolSize: number): RecordStore {
    const { log } = this.#options;
    const request = this.#stateRequestOf(loaded);
    const state = openState(request);
    if (state.warning !== undefined) log.warn({}, state.warning);
    if (state.kind === 'memory') {
      if (state.warning !== undefined) this.#notes.push(state.warning);
      return openMemory({ maxTotal: memorySize });
    }
    this.#stateDir = stateDirPath(request);
    this.#opened.push(() => state.release());
    return openSpool({
      dir: join(state.path, spoolFolder),
      maxTotal: spoolSize,
      onDrop: dropReporter(log),
    });
  }

  async #listen(runtime: Runtime, loaded: ValidConfig): Promise<{ data: string }> {
    const { server } = loaded.tree;
    const { log } = this.#options;
    const { url, release } = await openListener(runtime.server, this.#address ?? '', '--listen');
    this.#opened.push(release);
    runtime.server.on('error', acceptReporter(log));
    const probes = this.#options.probeListen ?? server?.probe_listen;
    if (probes !== undefined) {
      const probeServer = createProbeServer(runtime.probes(true));
      const opened = await openListener(probeServer, probes, '--probe-listen');
      this.#opened.push(
        () => opened.release(),
        () => void probeServer.close(),
      );
    }
    return { data: url };
  }
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
function overriddenBy({ listen, probeListen, stateDir }: GatewayOptions): ('listen' | 'probe_listen' | 'state_dir')[] {
  const flags = [
    ['listen', listen],
    ['probe_listen', probeListen],
    ['state_dir', stateDir],
  ] as const;
  return flags.flatMap(([key, value]) => (value === undefined ? [] : [key]));
}

interface RunningParts {
  readonly runtime: Runtime;
  readonly reloader: Reloader;
  readonly checkedMs: number | undefined;
  readonly notes: readonly string[];
  loaded(): ValidConfig;
  undo(): Promise<void>;
}

class RunningGateway implements Gateway {
  readonly url: string;
  readonly checkedMs: number | undefined;
  readonly notes: readonly string[];
  readonly #parts: RunningParts;
  #closing: Promise<void> | undefined;

  constructor(parts: RunningParts, urls: { data: string }) {
    this.#parts = parts;
    this.checkedMs = parts.checkedMs;
    this.notes = parts.notes;
    this.url = urls.data.startsWith('unix:') ? urls.data : `${urls.data}/v1`;
  }

  get loaded(): ValidConfig {
    return this.#parts.loaded();
  }

  snapshot(): Snapshot {
    return this.#parts.runtime.holder.current().snapshot;
  }

  defect(error: unknown): void {
    this.#parts.runtime.defect(error);
  }

  async reload(): Promise<GatewayEvent> {
    return eventOf(await this.#parts.reloader.reloadNow());
  }

  async drain(): Promise<void> {
    const { runtime } = this.#parts;
    await runtime.drain.run(runtime.server, runtime.connections, this.snapshot().server.drain);
    await this.close();
  }

  close(): Promise<void> {
    this.#closing ??= this.#parts.undo();
    return this.#closing;
  }
}

function openState(request: StateDirRequest): StateDir {
  try {
    return openStateDir(request);
  } catch (error) {
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

function eventOf(result: ReloadResult): GatewayEvent {
  switch (result.kind) {
    case 'applied':
      return { type: 'reloaded', revision: result.revision, changes: result.changes, ms: Math.round(result.ms), restart: result.restart };
    case 'unchanged':
      return { type: 'unchanged', revision: result.revision, recovered: result.recovered };
    case 'rejected': {
      const cause = result.cause instanceof Error ? result.cause.message : undefined;
      return {
        type: 'rejected',
        revision: result.revision ?? '',
        diagnostics: result.diagnostics,
        ...(cause === undefined ? {} : { reason: cause }),
      };
    }
    default:
      return result satisfies never;
  }
}

/** A process without file descriptors accepts nobody: it is said once in a while, and over when some are free again. */
function acceptReporter(log: Log): (error: Error) => void {
  let saidAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    const now = clock.monotonic();
    if (now - saidAt < 10_000) return;
    saidAt = now;
    log.error({ err: error }, 'a connection could not be accepted');
  };
}

/** A failing disk is loud, but not once a request. */
function dropReporter(log: Log): (drop: Drop) => void {
  let saidAt = Number.NEGATIVE_INFINITY;
  return (drop) => {
    const now = clock.monotonic();
    if (now - saidAt < 10_000) return;
    saidAt = now;
    if (drop.why === 'write')
      log.error({ err: drop.error, records: drop.frames }, 'records could not be written to the spool and are lost');
    else log.warn({ segment: drop.segment, bytes: drop.bytes }, 'the spool is full: its oldest segment was dropped');
  };
}
