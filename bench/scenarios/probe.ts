import type { Finding } from '../report/tables.ts';
import type { BenchEnvironment } from '../systems/system.ts';
import type { Tools } from '../tools.ts';

export interface ProbeOptions {
  readonly tools: Tools;
  readonly place: BenchEnvironment;
  readonly rounds: number;
  readonly sources: boolean;
}

/** A measurement with its own process. */
export interface Probe {
  readonly name: string;
  readonly about: string;
  run(options: ProbeOptions): Promise<Finding[]>;
}
