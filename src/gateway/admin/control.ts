import { resolve } from 'node:path';
import type { ReloadVerdict, Status } from '../../admin/api-types.ts';
import { diagnosed } from '../../admin/views/diagnostics.ts';
import { Attempts, type AttemptFigures } from '../../admin/attempts.ts';
import { healthOf } from '../../admin/health.ts';
import { type ProcessFigures, ProcessMonitor, combineFigures } from '../../admin/process-monitor.ts';
import { LiveHub } from '../../admin/live/hub.ts';
import type { Activity, ConfigStateFacts, RequestExplainer, DashboardRequest, ManagedGateway } from '../../admin/managed-gateway.ts';
import type { ReloadResult, Reloader } from '../../config/reload/reloader.ts';
import type { LoadedConfig, ValidConfig } from '../../config/reload/load.ts';
import type { WrittenLocations } from '../../config/report/origins.ts';
import type { SavedFiles } from '../../config/read/files.ts';
import type { AdminEntry } from '../../config/schema/index.ts';
import { GatewayError } from '../../core/error.ts';
import type { LogReader } from '../../core/logs/reader.ts';
import { withTimeout } from '../../core/async/with-timeout.ts';
import type { LogRecord } from '../../core/records/record.ts';
import { createMask, type Mask } from '../../core/secrets/mask.ts';
import type { CatalogEntry } from '../../manage/providers/catalog-entry.ts';
import { type ProviderTestResult, testProvider } from '../../manage/providers/test-provider.ts';
import type { Outbound } from '../../transport/outbound/index.ts';
import type { Probes } from '../../transport/inbound/probes.ts';
import type { Serving, WorkerState } from '../serving.ts';
import type { Heartbeat } from '../workers/messages.ts';
import type { DrainPlan } from '../drain.ts';
import type { ExplainService } from '../explain/service.ts';
import type { GatewayOptions } from '../types.ts';
import { overriddenBy } from '../reload/overridden.ts';
import { Revisions } from './revisions.ts';
import { version } from '../version.ts';
import type { WindowLimit } from '../../core/limits/caller-limits.ts';
import { ratedCaller, type Rates } from '../../core/limits/rates.ts';
import { ownerOfKey } from '../../core/secrets/key.ts';
import { responseHeaders } from '../../core/http/headers.ts';
import { sendToListener } from './listener-request.ts';
import { PluginTimes } from './plugin-times.ts';

export interface ControlDeps {
  readonly options: GatewayOptions;
  serving(): Serving;
  loaded(): ValidConfig;
  logs(): LogReader | undefined;
  url(): string;
  /** Unix milliseconds. */
  now(): number;
  monotonic(): number;
  readonly notes: readonly string[];
  /** Path of the state directory; undefined without storage on disk. */
  stateDir(): string | undefined;
  readonly rates: Pick<Rates, 'used'>;
  reloader(): Reloader;
  outbound(): Outbound;
  /** Called after a rollback, which the reloader itself does not report. */
  onRollback(result: ReloadResult): void;
  /** Stops the gateway as a signal does: drain, then exit. */
  stop(drain: Partial<DrainPlan>): void;
}

const noSettings: AdminEntry = {};
/** Timeout of one test request, in milliseconds. */
const testTimeoutMs = 10_000;
const nowhere: WrittenLocations = { values: [], locations: {}, references: {} };

/** Gives the admin API access to the running gateway. */
export class Control implements ManagedGateway {
  readonly version = version;
  readonly startedAt: number;
  readonly cwd: string;
  readonly env: ManagedGateway['env'];
  readonly configPath: string | undefined;
  readonly overridden: ManagedGateway['overridden'];
  readonly #deps: ControlDeps;
  readonly #times = new PluginTimes();
  readonly #attempts = new Attempts();
  readonly #process = new ProcessMonitor();
  #probes: Probes | undefined;
  #explaining: Promise<ExplainService> | undefined;
  #lastReload: Status['last_reload'] = null;
  #restartNeeded: readonly string[] = [];
  #written: { readonly texts: SavedFiles; readonly locations: Promise<WrittenLocations> } | undefined;
  #rolledBackTo: string | null = null;
  readonly revisions: Revisions;
  readonly hub: LiveHub;

  constructor(deps: ControlDeps) {
    const { source, cwd } = deps.options;
    this.#deps = deps;
    this.startedAt = deps.now();
    this.cwd = cwd;
    this.overridden = overriddenBy(deps.options);
    this.env = deps.options.env;
    this.configPath = 'path' in source ? resolve(cwd, source.path) : undefined;
    this.hub = new LiveHub(deps.monotonic, (error) => this.onDefect(error));
    this.revisions = new Revisions({
      entry: this.configPath,
      dir: deps.stateDir,
      now: deps.now,
      onFault: (error) => deps.options.log.warn({ err: error }, 'a revision of the configuration could not be kept'),
    });
  }

  get url(): string {
    return this.#deps.url();
  }

  get probes(): Probes {
    return (this.#probes ??= this.#deps.serving().probes(true));
  }

  settings(): AdminEntry {
    return this.#deps.loaded().tree.server?.admin ?? noSettings;
  }

  requestsUsed(key: string, rate: WindowLimit): number {
    const { options, rates } = this.#deps;
    const limiter = options.registry.stages.find(({ provides }) => provides?.includes('limits') === true);
    return limiter === undefined ? 0 : rates.used(ratedCaller(limiter.name, ownerOfKey(key)), rate);
  }

  snapshot(): ReturnType<ManagedGateway['snapshot']> {
    return this.#deps.serving().snapshot();
  }

  loaded(): ValidConfig {
    const loaded = this.#deps.loaded();
    const { serving } = this.#deps.reloader();
    // The files may have the same content at other positions than when it was applied.
    return serving?.revision === loaded.revision ? serving : loaded;
  }

  mask(): Mask {
    return this.#deps.serving().mask;
  }

  logs(): LogReader | undefined {
    return this.#deps.logs();
  }

  activity(): Activity {
    return this.#deps.serving().activity();
  }

  refreshWorkerFigures(): Promise<void> {
    return this.#deps.serving().refresh();
  }

  workers(): readonly WorkerState[] | undefined {
    return this.#deps.serving().workers?.();
  }

  processes(): ProcessFigures {
    return combineFigures(this.#process.read(), this.#deps.serving().processes?.() ?? []);
  }

  configState(): ConfigStateFacts {
    // Another configuration may already be active while its reload is not reported yet.
    const rolledBackTo = this.#rolledBackTo === this.snapshot().revision ? this.#rolledBackTo : null;
    return { lastReload: this.#lastReload, rolledBackTo, restartNeeded: this.#restartNeeded, notes: this.#deps.notes };
  }

  plugins(): Status['plugins'] {
    return this.#times.read(this.#deps.serving().steps());
  }

  health(): ReturnType<ManagedGateway['health']> {
    return healthOf(this.snapshot(), this.#attempts, this.#deps.now());
  }

  attempts(paths: readonly string[]): AttemptFigures {
    return this.#attempts.figuresOf(paths, this.#deps.now(), 60);
  }

  explainer(): Promise<RequestExplainer> {
    return (this.#explaining ??= this.#openExplaining());
  }

  async #openExplaining(): Promise<ExplainService> {
    const { ExplainService } = await import('../explain/service.ts');
    const { options, now, monotonic } = this.#deps;
    return new ExplainService({
      options,
      clock: { now, monotonic },
      loaded: () => this.loaded(),
      written: () => this.written(),
      logs: () => this.logs(),
      url: () => this.url,
      mask: (text) => this.mask().text(text),
    });
  }

  /** Closes the explain service if a call opened it. */
  async close(): Promise<void> {
    await (await this.#explaining)?.close();
  }

  async reload(): Promise<ReloadVerdict> {
    return this.#verdict(await this.#deps.reloader().reloadNow());
  }

  async rollback(requested: string | undefined): Promise<ReloadVerdict> {
    const serving = this.snapshot().revision;
    const found = requested === undefined ? this.revisions.before(serving) : this.revisions.find(requested);
    if (found === undefined) throw noRevision(requested, this.revisions.list());
    const texts = this.revisions.textsOf(found);
    if (texts === undefined)
      throw new GatewayError('revision_not_found', {
        message: `Revision ${found.revision} had a secret written in its files, which is not stored.`,
        hint: 'Use ${env:NAME} or ${file:/path} for secrets: then a revision can serve again.',
      });
    const { rolledBackTo, lastReload } = this.configState();
    const result = await this.#deps.reloader().useOverride(texts);
    if (result.kind === 'rejected') {
      // The result does not concern the files, so `last_reload` stays as it is: only the caller gets the reasons.
      this.#deps.onRollback(result);
      return this.#verdict(result, this.#reported(result, this.loaded().secrets));
    }
    this.reloadEnded(result, this.loaded().secrets);
    // The configuration in the files is already active: nothing was rolled back.
    const isOlder = result.kind === 'applied' || rolledBackTo !== null || lastReload?.result === 'rejected';
    if (isOlder) this.#rolledBackTo = result.revision;
    this.#deps.onRollback(result);
    return this.#verdict(result);
  }

  written(): Promise<WrittenLocations> {
    const loaded = this.loaded();
    const { texts } = loaded;
    if (this.#written?.texts === texts) return this.#written.locations;
    // Pages ask at the same time, and a large configuration takes long.
    const locations = inTime(this.#deps.reloader().locate(loaded));
    this.#written = { texts, locations };
    locations.catch(() => {
      if (this.#written?.locations === locations) this.#written = undefined;
    });
    return locations;
  }

  async locations(waitMs: number): Promise<WrittenLocations['locations']> {
    const { locations } = await withTimeout(
      this.written().catch(() => nowhere),
      waitMs,
      () => nowhere,
    );
    return locations;
  }

  inspect(texts: SavedFiles, entry?: string): Promise<LoadedConfig> {
    return inTime(this.#deps.reloader().inspect(texts, entry === undefined ? undefined : { text: entry, name: '<admin>' }));
  }

  catalog(): readonly CatalogEntry[] {
    const { tree, missing } = this.loaded();
    const { providers } = this.snapshot();
    return Object.entries(tree.providers ?? {}).flatMap(([slug, entry]) => {
      const binding = providers.get(slug);
      return binding === undefined ? [] : [{ slug, entry, binding, written: undefined, missing: missing[slug] }];
    });
  }

  testProvider(entry: CatalogEntry, deep: boolean): Promise<ProviderTestResult> {
    return testProvider(entry, { deep, outbound: this.#deps.outbound(), timeoutMs: testTimeoutMs, mask: (text) => this.mask().text(text) });
  }

  async request(request: DashboardRequest): ReturnType<ManagedGateway['request']> {
    const { status, headers, body } = await sendToListener(this.url, { method: 'POST', ...request });
    const header = (name: string): string | null => headers[name]?.toString() ?? null;
    return { status, id: header('x-request-id'), cost_usd: header(responseHeaders.cost), body };
  }

  drain(timeoutMs: number | undefined): void {
    this.#deps.stop(timeoutMs === undefined ? {} : { timeoutMs });
  }

  #verdict(result: ReloadResult, shown: Status['last_reload'] = this.#lastReload): ReloadVerdict {
    return {
      result: result.kind,
      revision: this.snapshot().revision,
      changes: result.kind === 'applied' ? result.changes : [],
      restart_needed: this.#restartNeeded,
      diagnostics: shown?.diagnostics ?? [],
      errors: shown?.errors ?? 0,
      warnings: shown?.warnings ?? 0,
      reason: shown?.reason ?? null,
    };
  }

  onDefect(error: unknown): void {
    this.#deps.options.log.error({ err: error }, 'a call to the admin API failed');
  }

  /** Called when a request has ended. */
  requestEnded(record: LogRecord): void {
    this.#times.add(record.plugins);
    this.#attempts.add(record);
    this.hub.publish(record);
  }

  /** Called with the counts of the requests that ended in a worker process. */
  addWorkerCounts({ attempts, plugins, unsent }: Heartbeat): void {
    this.#attempts.addAll(attempts);
    for (const one of plugins) this.#times.add(one);
    this.hub.skip(unsent);
  }

  /** Called when a reload has ended, with any result. */
  reloadEnded(result: ReloadResult, secrets: readonly string[]): void {
    this.#lastReload = this.#reported(result, secrets);
    if (result.kind === 'rejected') return;
    // The configuration of a rollback was applied again because a secret it refers to was rotated: the rollback remains in
    // effect.
    const isHeld = this.#rolledBackTo !== null && this.#deps.reloader().isOverridden;
    this.#rolledBackTo = isHeld ? result.revision : null;
    if (result.kind !== 'applied') return;
    this.#restartNeeded = result.restart;
    void this.revisions.applied(result.loaded, result.changes);
  }

  /** The result as callers see it, secrets masked. */
  #reported(result: ReloadResult, secrets: readonly string[]): NonNullable<Status['last_reload']> {
    const isRejected = result.kind === 'rejected';
    const mask = createMask([...new Set([...secrets, ...(isRejected ? result.secrets : [])])]);
    const diagnostics = isRejected ? result.diagnostics : result.kind === 'applied' ? result.loaded.diagnostics : [];
    const cause = isRejected ? result.cause?.message : undefined;
    return {
      at: this.#deps.now(),
      result: result.kind,
      revision: result.revision ?? '',
      ...diagnosed(diagnostics, mask),
      reason: cause === undefined ? null : mask.text(cause),
    };
  }
}

/** The result of a load outside the event loop, or an error for the caller. */
async function inTime<T>(load: Promise<T>): Promise<T> {
  try {
    return await load;
  } catch (cause) {
    throw new GatewayError('overloaded', { message: 'The configuration could not be checked in time.', cause });
  }
}

function noRevision(requested: string | undefined, known: readonly { readonly revision: string }[]): GatewayError {
  const names = [...new Set(known.map(({ revision }) => revision))];
  return new GatewayError('revision_not_found', {
    message: requested === undefined ? 'There is no earlier revision.' : `There is no revision "${requested.slice(0, 40)}".`,
    hint: names.length === 0 ? undefined : `Revisions: ${names.join(', ')}.`,
  });
}
