import type { ProcessMetric } from './process-table.ts';
import type { StateMetric } from './table.ts';

/** A value that is read at each scrape: metric, values of its labels in their order, value. */
export type Sample = readonly [name: StateMetric | ProcessMetric, labels: readonly string[], value: number];
