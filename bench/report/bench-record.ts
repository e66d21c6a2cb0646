import type { Row, Scenario } from './summary.ts';
import type { Finding } from './tables.ts';

/** Environment and parameters of a measurement. */
export interface Conditions {
  readonly at: string;
  readonly commit: string;
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  readonly kernel: string;
  /** Load average of the minute before the run. */
  readonly busy: number;
  readonly rounds: number;
  readonly durationMs: number;
  readonly tools: string;
  readonly sources: boolean;
}

/** Result of one scenario: rows of a load, or findings. */
export type ScenarioResult =
  | { readonly conditions: Conditions; readonly scenario: Scenario; readonly rows: readonly Row[] }
  | { readonly conditions: Conditions; readonly name: string; readonly about: string; readonly findings: readonly Finding[] };

/** By the name of the scenario. */
export type BenchRecord = Readonly<Record<string, ScenarioResult>>;
