import type { RunningProcess } from '../processes.ts';

/** The environment in which a system runs. */
export interface BenchEnvironment {
  /** Port of the upstream on 127.0.0.1. */
  readonly upstream: number;
  /** Port on which it is reached by https. */
  readonly tlsUpstream?: number;
  /** A folder that is deleted at the end. */
  readonly folder: string;
}

/** A system under test and how to start it. All systems have the same upstream and the same clients. */
export interface System {
  readonly name: string;
  /** The model that clients request. */
  readonly model: string;
  /** Headers that its clients need in addition to the key. */
  headers?(place: BenchEnvironment): Readonly<Record<string, string>>;
  /** @throws Error if it cannot be started on this machine */
  start(place: BenchEnvironment): Promise<RunningProcess>;
}

export const key = 'bench-key-that-opens-nothing-else';
export const model = '@bench/mock-1';
