import type { RecordStore, StoreStats } from '../../store/frame.ts';

/** The spool of a supervisor: its workers write it, and it adds up what they tell. */
export class WorkersSpool implements RecordStore {
  /** Frames: unknown between two beats, and so never what they were: a question is preceded by a look at the files. */
  readonly stats = { frames: Number.NaN, bytes: 0, dropped: 0, evicted: 0 };
  /** Waits until what workers have sent is here. */
  settle: () => Promise<void> = () => Promise.resolve();

  /** Workers learn what of theirs was stored before it made room. */
  onStored: (frames: Readonly<Record<string, number>>) => void = () => {};

  wereStored(frames: Readonly<Record<string, number>>): void {
    if (Object.keys(frames).length > 0) this.onStored(frames);
  }

  append(): void {
    throw new Error('a supervisor serves no requests');
  }

  /** @param last what the same worker told before */
  add(now: StoreStats, last: StoreStats | undefined): void {
    this.stats.bytes += now.bytes - (last?.bytes ?? 0);
    this.stats.dropped += now.dropped - (last?.dropped ?? 0);
    this.stats.evicted += now.evicted - (last?.evicted ?? 0);
  }

  close(): void {}
}
