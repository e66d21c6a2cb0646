import type { ProcessFigures } from '../../../admin/process-monitor.ts';
import type { Activity } from '../../../admin/managed-gateway.ts';
import type { StoreStats } from '../../../store/frame.ts';
import { CurrentProblems } from '../../observe/current-problems.ts';
import type { Heartbeat } from '../messages.ts';
import type { WorkersSpool } from '../spool.ts';

/** Sums of the workers' beats, including counts of workers that have ended. */
export class HeartbeatTotals {
  readonly #spool: WorkersSpool;
  readonly #problems: CurrentProblems;
  readonly #last = new Map<number, Heartbeat>();
  /** Finished requests by worker. */
  readonly #requests = new Map<number, number>();
  /** Problems of workers that do not stay alive, one sentence each. */
  #troubles: readonly string[] = [];
  /** Number of records whose bodies could not be masked in time. */
  readonly masking = { dropped: 0 };

  /** @param notes current deviations from the configuration, kept up to date */
  constructor(spool: WorkersSpool, notes: string[]) {
    this.#spool = spool;
    this.#problems = new CurrentProblems([notes]);
  }

  /** @param last previous beat of the same process */
  add(worker: number, beat: Heartbeat, last: Heartbeat | undefined): void {
    this.#requests.set(worker, this.requests(worker) + beat.finished);
    this.#spool.add(beat.spool satisfies StoreStats, last?.spool);
    this.masking.dropped += beat.unmasked - (last?.unmasked ?? 0);
    this.#last.set(worker, { ...beat, process: beat.process ?? this.#last.get(worker)?.process });
    this.#note();
  }

  /** The worker's process has ended. */
  forget(worker: number): void {
    this.#last.delete(worker);
    this.#note();
  }

  troubles(troubles: readonly string[]): void {
    this.#troubles = troubles;
    this.#note();
  }

  requests(worker: number): number {
    return this.#requests.get(worker) ?? 0;
  }

  inFlight(worker: number): number {
    return this.#last.get(worker)?.activity.inFlight ?? 0;
  }

  /** Undefined until its figures were requested. */
  process(worker: number): ProcessFigures | undefined {
    return this.#last.get(worker)?.process;
  }

  processes(): readonly ProcessFigures[] {
    return [...this.#last.values()].flatMap(({ process }) => process ?? []);
  }

  activity(isDraining: boolean): Activity {
    const sum = { inFlight: 0, openStreams: 0, isDraining, bodies: 0, bodiesLimit: 0 };
    for (const { activity } of this.#last.values()) {
      sum.inFlight += activity.inFlight;
      sum.openStreams += activity.openStreams;
      sum.bodies += activity.bodies;
      sum.bodiesLimit += activity.bodiesLimit;
    }
    return sum;
  }

  #note(): void {
    const beats = [...this.#last.values()];
    this.#spool.problems = [...new Set(beats.flatMap((beat) => beat.spoolProblems))];
    this.#problems.show([...new Set([...beats.flatMap((beat) => beat.problems), ...this.#troubles])]);
  }
}
