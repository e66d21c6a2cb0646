import type { Running } from '../processes.ts';

/** Where a system runs. */
export interface Place {
  /** The port of the upstream on 127.0.0.1. */
  readonly upstream: number;
  /** A folder that is removed at the end. */
  readonly folder: string;
}

/** What is measured: the way it is started, between the same upstream and the same clients as the others. */
export interface System {
  readonly name: string;
  /** What clients ask for. */
  readonly model: string;
  /** Headers that its clients need besides the key. */
  headers?(place: Place): Readonly<Record<string, string>>;
  /** @throws Error when it can't be started here */
  start(place: Place): Promise<Running>;
}

export const key = 'bench-key-that-opens-nothing-else';
export const model = '@bench/mock-1';
