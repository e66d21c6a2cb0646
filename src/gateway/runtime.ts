import { AsyncLocalStorage } from 'node:async_hooks';
import { createHolder, type OwnedHolder } from '../config/reload/holder.ts';
import { minimalRecord } from '../core/records/minimal.ts';
import type { IncomingRequest } from '../core/http/request.ts';
import { MemoryBudget } from '../core/memory/budget.ts';
import type { Clock } from '../core/context.ts';
import type { ListenAddress, ListenSetting } from '../core/http/listen-address.ts';
import { createMask, type Mask } from '../core/secrets/mask.ts';
import type { LogReader } from '../core/logs/reader.ts';
import type { LogRecord } from '../core/records/record.ts';
import type { ServerSettings, Snapshot } from '../core/snapshot.ts';
import { dialects } from '../formats/index.ts';
import { defaultMemory } from './default-memory.ts';
import { Drain, type DrainPlan } from './drain.ts';
import { ConnectionLimit, socketsFor } from './connection-limit.ts';
import { acceptReporter, maskingReporter } from './log/reporters.ts';
import { openAddress } from './open-listener.ts';
import type { Serving } from './serving.ts';
import { SocketKeys } from './socket-keys.ts';
import { ThreadMasking } from './masking/index.ts';
import { Observing } from './observe/index.ts';
import type { HandleDeps } from '../pipeline/handle-deps.ts';
import { Handling } from '../pipeline/handle.ts';
import { maxRecordedBytes } from '../pipeline/record/policy.ts';
import type { ConfigState } from './reload/state.ts';
import { GroupCommit, type FullRecord } from '../pipeline/record/group-commit.ts';
import { InFlightByKey, type InFlightLimiter } from '../pipeline/in-flight.ts';
import { schedule } from '../core/async/schedule.ts';
import type { ChainStep, Generation } from '../pipeline/generation.ts';
import { EchoedCredentials } from '../telemetry/echoed-credentials.ts';
import { LineWriter } from '../store/compact.ts';
import { encodeRecord } from '../store/encode.ts';
import type { RecordStore, SpoolFrame } from '../store/frame.ts';
import { DefectLog } from '../telemetry/defect-log.ts';
import type { Log } from '../telemetry/log.ts';
import { Cors } from '../transport/inbound/cors.ts';
import { Connections } from '../transport/inbound/listener/connections.ts';
import { ListeningSockets } from '../transport/inbound/listener/sockets/listening-sockets.ts';
import { type HeaderNames, headerNamesOf } from '../transport/inbound/header-bag.ts';
import { Ids } from '../transport/inbound/ids.ts';
import { KeylessRules } from '../transport/inbound/keyless-rules.ts';
import { createProbes, type Probes } from '../transport/inbound/probes.ts';
import { createYoungCollector } from '../transport/outbound/exchange/external-memory.ts';
import type { Outbound } from '../transport/outbound/index.ts';
import type { MetricsPage } from '../transport/inbound/metrics-page.ts';
import { createSender } from '../transport/outbound/sender.ts';
import { createDataServer, type DataServer, type ServerDeps } from '../transport/inbound/server.ts';
import { createSweeper, type Sweeper } from '../transport/wire/sweeper.ts';
import type { TimerWheel } from '../transport/wire/timer-wheel.ts';

export interface RuntimeDeps {
  /** Address of the data listener. */
  readonly listen: ListenAddress | undefined;
  readonly clock: Clock;
  /** The timer wheel, shared with the outbound transport. */
  readonly wheel: TimerWheel;
  readonly store: RecordStore;
  readonly log: Log;
  /** The outbound transport. Closed by the runtime. */
  readonly outbound: Outbound;
  /** Shown by `/readyz`: notes that do not affect readiness, and the result of the last load of the configuration. */
  readonly notes: readonly string[];
  /** Current problems of this process, one sentence each; the runtime adds its own. */
  readonly problems: string[];
  readonly configState: (isDetailed: boolean) => ConfigState;
  /** Undefined if no request log is kept. */
  readonly logs: () => LogReader | undefined;
  /** Maximum number of open files of this process. */
  readonly openFiles: number | undefined;
  /** `GatewayOptions.maskingMs`. */
  readonly maskingMs?: number | undefined;
  spent(caller: string, sinceDay: number): bigint;
  onRequest(record: LogRecord): void;
  /** Called with each client connection that is rejected. */
  onRejected?(): void;
  /** Set if several processes serve: their number, and the in-flight requests of each key across all of them. */
  readonly workers?: { readonly count: number; readonly shares: InFlightLimiter } | undefined;
}

/** All parts of one gateway, from the sockets to the log. Built once; a reload only replaces the generation in the holder. */
export class Runtime implements Serving {
  readonly #drain = new Drain();
  readonly holder: OwnedHolder<Generation>;
  readonly sockets: ListeningSockets;
  readonly connections: Connections;
  readonly connectionLimit: ConnectionLimit;
  readonly observing: Observing;
  readonly #deps: RuntimeDeps;
  /** Checks the deadlines of attempts, whose number is limited. */
  readonly #sweeper: Sweeper;
  /** Checks the deadlines of incoming request bodies of all clients. Separate, so that they do not count as attempts. */
  readonly #arriving: Sweeper;
  readonly #socketKeys: SocketKeys;
  readonly #budget: MemoryBudget;
  readonly #masking: ThreadMasking;
  readonly #commit: GroupCommit;
  readonly #handling: HandleDeps;
  readonly #defects: DefectLog;
  /**
   * ID of the request that the running code belongs to. Only the ID, because a connection opened by this code outlives
   * the request and would keep any stored object alive.
   */
  readonly #requestId = new AsyncLocalStorage<string>();
  /** Generations that still have requests: a request that started before a secret was rotated may still use the old one. */
  readonly #liveGenerations = new Set<Generation>();
  readonly #lines = new LineWriter();
  #release = (): void => {};
  #mask: Mask;
  #description: Buffer | undefined;
  #names: HeaderNames;
  #cors: Cors | undefined;
  #keyless: KeylessRules | undefined;

  constructor(first: Generation, deps: RuntimeDeps) {
    const { clock, log } = deps;
    this.#deps = deps;
    this.#liveGenerations.add(first);
    this.#mask = maskOf(this.#liveGenerations);
    this.#names = headerNamesOf(first.snapshot);
    this.#configureAccess(first);
    const defects = new DefectLog(log, clock.monotonic);
    this.#defects = defects;
    this.#sweeper = createSweeper(deps.wheel, clock.monotonic, defects.report);
    this.#arriving = createSweeper(deps.wheel, clock.monotonic, defects.report);
    this.#socketKeys = new SocketKeys(deps.wheel, () => this.snapshot(), clock.now);
    this.#budget = new MemoryBudget(this.#shareOf(memoryOf(first)));
    this.holder = this.#createHolder(first, log);
    const { egress, upstream } = deps.outbound;
    const echoes = new EchoedCredentials(log, () => this.holder.current().snapshot.revision);
    this.#masking = new ThreadMasking({ onFault: maskingReporter(log, clock.monotonic), limitMs: deps.maskingMs });
    this.#commit = new GroupCommit((records) => this.#append(records), this.#masking, defects.report, clock.monotonic);
    const passed = createYoungCollector();
    const send = createSender({
      upstream,
      passed,
      onEcho: echoes.add,
      budget: this.#budget,
      sweeper: this.#sweeper,
      clock,
      schedule: schedule,
      egress,
      maxRecorded: () => maxRecordedBytes(this.snapshot().log),
      maxResponse: () => this.#settings().maxResponse,
      maxInFlight: () => this.#shareOf(this.#settings().maxInFlight),
    });
    this.#handling = {
      send,
      commit: this.#commit,
      inFlightLimiter: deps.workers?.shares ?? new InFlightByKey(),
      budget: this.#budget,
      dialects,
      monotonic: clock.monotonic,
      schedule,
      enter: (id) => this.#enter(id),
      onDefect: defects.report,
      onFinished: (record) => {
        this.observing.add(record);
        deps.onRequest(record);
      },
      onSocket: (socket, ctx) => this.#socketKeys.add(socket, ctx),
      onReleased: (handling) => this.#drain.running.delete(handling),
    };
    this.connectionLimit = new ConnectionLimit(this.#shareOf(first.snapshot.server.maxConnections), { ...deps, ...clock });
    this.observing = this.#observe(first.snapshot);
    const listener = this.#listener(passed);
    this.connections = new Connections(listener);
    this.sockets = new ListeningSockets(listener.server, {
      limit: (each, group) => this.connectionLimit.add(each, group),
      onError: acceptReporter(log, clock.monotonic),
    });
  }

  /**
   * Not `AsyncLocalStorage.run`, which copies the context again to restore it; Node restores it at the end of each
   * callback anyway. Each `enterWith` copies a map, so it is skipped if the ID is already set, as for a body that
   * arrived together with its head.
   */
  #enter(id: string): void {
    if (this.#requestId.getStore() !== id) this.#requestId.enterWith(id);
  }

  /** The generation that serves; an earlier one is disposed of after its last request. */
  #createHolder(first: Generation, log: Log): OwnedHolder<Generation> {
    const dispose = (generation: Generation): Promise<void> => {
      this.#liveGenerations.delete(generation);
      this.#mask = maskOf(this.#liveGenerations);
      return generation.dispose();
    };
    return createHolder(first, dispose, (error) => log.error({ err: error }, 'a plugin failed to shut down'));
  }

  #observe(first: Snapshot): Observing {
    const { log, problems, clock, configState, store, logs, spent } = this.#deps;
    return new Observing(first, {
      log,
      problems,
      now: clock.now,
      monotonic: clock.monotonic,
      secrets: () => secretsOf(this.#liveGenerations),
      activity: () => ({ ...this.activity(), rejectedConnections: this.connectionLimit.rejected }),
      config: () => configState(false),
      spool: store.stats,
      masking: this.#masking,
      logs,
      spent,
      onFault: this.#defects.report,
    });
  }

  /** @param passed called with the size of forwarded file data, in bytes */
  #listener(passed: (bytes: number) => void): DataServer {
    return createDataServer({
      clock: this.#deps.clock,
      wheel: this.#deps.wheel,
      ids: new Ids(),
      sweeper: this.#arriving,
      budget: this.#budget,
      random: randomNumber,
      passed,
      limits: () => this.#limits(),
      cors: () => this.#cors,
      keyless: () => this.#keyless,
      isDraining: () => this.#drain.isRefusing,
      handle: (incoming) => this.#handle(incoming),
      onDefect: this.#defects.report,
      describeApi: async () => (this.#description ??= await description()),
      probes: this.probes(false),
    });
  }

  /** @param isOperators true if only operators can reach the listener */
  probes(isOperators: boolean): Probes {
    const { notes, configState: config } = this.#deps;
    return createProbes({ reasons: () => (this.#drain.isStopping ? ['draining'] : []), notes, config }, isOperators);
  }

  /** Returns this process's part of a limit that all worker processes share. */
  #shareOf(limit: number): number {
    return Math.ceil(limit / (this.#deps.workers?.count ?? 1));
  }

  /** Masks the secrets of every generation that has requests. */
  get mask(): Mask {
    return this.#mask;
  }

  /** Current load. */
  activity(): { inFlight: number; openStreams: number; isDraining: boolean; bodies: number; bodiesLimit: number } {
    let openStreams = 0;
    this.#drain.running.each((handling) => (openStreams += handling.isStreaming ? 1 : 0));
    const { used, limit } = this.#budget;
    return { inFlight: this.#drain.running.size, openStreams, isDraining: this.#drain.isStopping, bodies: used, bodiesLimit: limit };
  }

  get page(): MetricsPage {
    return this.observing.page;
  }

  /** Undefined: this process serves itself. */
  readonly workers = undefined;

  snapshot(): Snapshot {
    return this.holder.current().snapshot;
  }

  steps(): readonly ChainStep[] {
    return this.holder.current().steps;
  }

  refresh(): Promise<void> {
    return Promise.resolve();
  }

  /** Number of records whose bodies could not be masked in time. */
  get unmasked(): number {
    return this.#masking.dropped;
  }

  async listen(setting: ListenSetting): Promise<string> {
    const { url, release } = await openAddress(setting, '--listen', (address) =>
      this.sockets.listen(address, socketsFor(this.#deps.openFiles)),
    );
    this.#release = release;
    return url;
  }

  async drain(plan: DrainPlan): Promise<void> {
    await this.#drain.run(this.sockets, this.connections, plan);
  }

  /** Handles an uncaught error. See `Gateway.defect`. */
  defect(error: unknown): void {
    const id = this.#requestId.getStore();
    let belongsToRequest = false;
    this.#drain.running.each((handling) => {
      if (handling.id !== id) return;
      belongsToRequest = true;
      handling.crashed(error);
    });
    if (!belongsToRequest) this.#defects.report(error, id);
  }

  /** Makes a new generation active for the following requests. Requests in progress keep theirs. */
  swap(generation: Generation): void {
    this.#liveGenerations.add(generation);
    this.#mask = maskOf(this.#liveGenerations);
    this.#names = headerNamesOf(generation.snapshot);
    this.#configureAccess(generation);
    const { server } = this.snapshot();
    this.holder.swap(generation);
    this.#deps.outbound.reconfigured(server, generation.snapshot.server);
    this.observing.use(generation.snapshot);
    this.connectionLimit.max = this.#shareOf(generation.snapshot.server.maxConnections);
    this.#budget.limit = this.#shareOf(memoryOf(generation));
  }

  /** Closes everything at once; waiting records are written. */
  async close(): Promise<void> {
    this.#release();
    this.#drain.running.each((handling) => handling.stop());
    await new Promise((resolve) => setImmediate(resolve));
    this.#commit.flush();
    await this.#masking.close();
    this.connections.closeAll();
    await this.sockets.close();
    await this.observing.close();
    this.#sweeper.close();
    this.#arriving.close();
    this.#socketKeys.close();
    await this.#deps.outbound.close();
    await this.holder.close();
    this.#deps.store.close();
  }

  #handle(incoming: IncomingRequest): void {
    const handling = new Handling(incoming, this.holder.acquire(), this.#handling);
    this.#drain.running.add(handling);
    handling.start();
  }

  /** Sets CORS and keyless access, computed once per snapshot. */
  #configureAccess({ snapshot, chains }: Generation): void {
    const { corsOrigins, allowsAnonymous } = snapshot.server;
    this.#cors = corsOrigins.length === 0 ? undefined : new Cors(corsOrigins);
    const isKeyless = (snapshot.apiKeys.size === 0 && snapshot.jwt === undefined) || !chains.requiresKeys;
    this.#keyless = isKeyless ? new KeylessRules({ listen: this.#deps.listen, isOpen: allowsAnonymous }, this.#cors) : undefined;
  }

  #limits(): ReturnType<ServerDeps['limits']> {
    const { maxBody, maxUpload, bodyTimeout, json, fastPath } = this.#settings();
    return { maxBody, maxUpload, bodyTimeout, json, fastPath, names: this.#names };
  }

  #settings(): ServerSettings {
    return this.snapshot().server;
  }

  #append(records: readonly FullRecord[]): void {
    const { store } = this.#deps;
    if (store.isOff === true && !this.observing.isExporting) return;
    this.#lines.out.reuse();
    const frames = records.map((entry) => this.#encoded(entry));
    if (store.isOff !== true) store.append(frames);
  }

  /** Encodes a record. If that fails, a minimal record is written, so that other records of the batch are not lost. */
  #encoded(entry: FullRecord): SpoolFrame {
    const { record } = entry;
    try {
      const frame = encodeRecord(record, entry, this.#mask, this.#lines);
      if (this.observing.isExporting)
        this.observing.written({ record, line: frame.line, request: entry.request, response: entry.response });
      return frame;
    } catch (error) {
      this.#handling.onDefect(error, record.id);
      return encodeRecord(minimalRecord({ ...record, totalMs: record.ms.total }), {}, this.#mask);
    }
  }
}

/** Imported on demand: most gateways never serve it. */
async function description(): Promise<Buffer> {
  const [{ describeApi }, { version }] = await Promise.all([import('../openapi/document.ts'), import('./version.ts')]);
  return Buffer.from(JSON.stringify(describeApi(version)));
}

/** Random number from 0 to 1 with at most fifteen decimals: it keeps its value as text and is fast to convert. */
const randomNumber = (): number => Math.floor(Math.random() * 1e15) / 1e15;

const memoryOf = ({ snapshot }: Generation): number => snapshot.server.memory ?? defaultMemory();

function maskOf(generations: Iterable<Generation>): Mask {
  return createMask(secretsOf(generations));
}

function secretsOf(generations: Iterable<Generation>): string[] {
  const secrets = new Set<string>();
  for (const { snapshot } of generations) for (const secret of snapshot.secrets) secrets.add(secret);
  return [...secrets];
}
