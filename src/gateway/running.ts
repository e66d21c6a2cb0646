import type { ValidConfig } from '../config/reload/load.ts';
import type { Reloader } from '../config/reload/reloader.ts';
import type { LogReader } from '../core/logs/reader.ts';
import type { Mask } from '../core/secrets/mask.ts';
import type { Snapshot } from '../core/snapshot.ts';
import type { ChainStep } from '../pipeline/generation.ts';
import type { AdminState } from './admin/state.ts';
import type { Serving, WorkerState } from './serving.ts';
import type { DrainPlan } from './drain.ts';
import { eventOf } from './reload/event.ts';
import type { Gateway, GatewayEvent } from './types.ts';

export interface RunningParts extends Pick<Gateway, 'url' | 'checkedMs' | 'notes' | 'logs' | 'admin' | 'probes'> {
  readonly serving: Serving;
  readonly reloader: Reloader;
  loaded(): ValidConfig;
  /** Resolves when the admin API requests a shutdown. */
  readonly shutdownRequested: Promise<Partial<DrainPlan>>;
  closeAll(): Promise<void>;
}

/** The running gateway that `startGateway` returns. */
export class RunningGateway implements Gateway {
  readonly url: string;
  readonly checkedMs: number | undefined;
  readonly notes: readonly string[];
  readonly logs: LogReader | undefined;
  readonly admin: AdminState | undefined;
  readonly probes: string | undefined;
  readonly #parts: RunningParts;
  readonly shutdownRequested: Promise<void>;
  #plan: Partial<DrainPlan> = {};
  #closing: Promise<void> | undefined;
  #draining: Promise<void> | undefined;

  constructor(parts: RunningParts) {
    this.#parts = parts;
    this.checkedMs = parts.checkedMs;
    this.notes = parts.notes;
    this.logs = parts.logs;
    this.admin = parts.admin;
    this.probes = parts.probes;
    this.url = parts.url;
    this.shutdownRequested = parts.shutdownRequested.then((plan) => void (this.#plan = plan));
  }

  get loaded(): ValidConfig {
    return this.#parts.loaded();
  }

  snapshot(): Snapshot {
    return this.#parts.serving.snapshot();
  }

  get mask(): Mask {
    return this.#parts.serving.mask;
  }

  steps(): readonly ChainStep[] {
    return this.#parts.serving.steps();
  }

  workers(): readonly WorkerState[] | undefined {
    return this.#parts.serving.workers?.();
  }

  defect(error: unknown): void {
    this.#parts.serving.defect(error);
  }

  async reload(): Promise<GatewayEvent> {
    return eventOf(await this.#parts.reloader.reloadNow());
  }

  drain(): Promise<void> {
    this.#draining ??= this.#drain();
    return this.#draining;
  }

  async #drain(): Promise<void> {
    await this.#parts.serving.drain({ ...this.snapshot().server.drain, ...this.#plan });
    await this.close();
  }

  close(): Promise<void> {
    this.#closing ??= this.#parts.closeAll();
    return this.#closing;
  }
}
