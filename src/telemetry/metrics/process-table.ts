import type { MetricRow } from './series.ts';

/** Metrics of the process, with the names that Prometheus libraries use. */
export const processTable = [
  {
    name: 'gateway_event_loop_delay_seconds',
    type: 'histogram',
    help: 'How late a timer ran that is due every 50 ms: how long the event loop was blocked.',
    labels: [],
    unit: 'seconds',
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
  },
  {
    name: 'gateway_event_loop_active_seconds_total',
    type: 'counter',
    help: 'Time in which the event loop was not idle; its rate is the utilization.',
    labels: [],
    unit: 'seconds',
  },
  { name: 'process_cpu_seconds_total', type: 'counter', help: 'User and system CPU time.', labels: [], unit: 'seconds' },
  { name: 'process_resident_memory_bytes', type: 'gauge', help: 'Resident memory.', labels: [], unit: 'bytes' },
  { name: 'process_start_time_seconds', type: 'gauge', help: 'Start of the process, as Unix time.', labels: [], unit: 'seconds' },
  { name: 'process_open_fds', type: 'gauge', help: 'Open file descriptors (Linux only).', labels: [], unit: 'descriptors' },
  { name: 'process_max_fds', type: 'gauge', help: 'Limit of open file descriptors (Linux only).', labels: [], unit: 'descriptors' },
  { name: 'nodejs_heap_size_used_bytes', type: 'gauge', help: 'Used heap of V8.', labels: [], unit: 'bytes' },
  { name: 'nodejs_heap_size_total_bytes', type: 'gauge', help: 'Heap of V8.', labels: [], unit: 'bytes' },
  { name: 'nodejs_external_memory_bytes', type: 'gauge', help: 'Memory outside the heap, buffers included.', labels: [], unit: 'bytes' },
  { name: 'nodejs_gc_runs_total', type: 'counter', help: 'Garbage collections by kind.', labels: ['kind'], unit: 'collections' },
  { name: 'nodejs_gc_seconds_total', type: 'counter', help: 'Time of garbage collections by kind.', labels: ['kind'], unit: 'seconds' },
] as const satisfies readonly MetricRow[];

export type ProcessMetric = (typeof processTable)[number]['name'];
