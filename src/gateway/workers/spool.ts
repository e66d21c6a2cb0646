import type { RecordStore, StoreStats } from '../../store/frame.ts';

/** The spool of a supervisor: the workers write it, and this object sums their statistics. */
export class WorkersSpool implements RecordStore {
  /** `frames` is NaN because the count is unknown between two beats: it equals no earlier value, so every query drains the spool first. */
  readonly stats = { frames: Number.NaN, bytes: 0, dropped: 0, evicted: 0 };
  /** What the workers report. */
  problems: readonly string[] = [];
  /** Waits until records sent by workers have arrived. */
  settle: () => Promise<void> = () => Promise.resolve();

  /** Tells the workers which frames were stored before their segments were evicted: these are not lost. */
  onStored: (frames: Readonly<Record<string, number>>) => void = () => {};

  reportStored(frames: Readonly<Record<string, number>>): void {
    if (Object.keys(frames).length > 0) this.onStored(frames);
  }

  append(): void {
    throw new Error('a supervisor serves no requests');
  }

  /** @param last previous statistics of the same worker */
  add(now: StoreStats, last: StoreStats | undefined): void {
    this.stats.bytes += now.bytes - (last?.bytes ?? 0);
    this.stats.dropped += now.dropped - (last?.dropped ?? 0);
    this.stats.evicted += now.evicted - (last?.evicted ?? 0);
  }

  close(): void {}
}
