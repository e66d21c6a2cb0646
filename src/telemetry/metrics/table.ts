import { processTable } from './process-table.ts';
import type { MetricRow } from './series.ts';

const seconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320] as const;
const shortSeconds = [0.000_25, 0.000_5, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1] as const;

/** Buckets that the GenAI semantic conventions of OpenTelemetry require. */
const genAiSeconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92] as const;
const genAiFirstToken = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] as const;
const genAiTokens = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864] as const;

const genAi = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model', 'gen_ai_response_model'] as const;

/** Updated by each finished request. */
export const requestTable = [
  {
    name: 'gateway_requests_total',
    type: 'counter',
    help: 'Finished requests. A request whose client disconnected before the response has status 499.',
    labels: ['config', 'provider', 'model', 'status', 'key'],
    unit: 'requests',
    hasMetadata: true,
  },
  {
    name: 'gateway_request_duration_seconds',
    type: 'histogram',
    help: 'Time from the arrival of a request to the last byte of its response.',
    labels: ['config', 'provider', 'model'],
    unit: 'seconds',
    buckets: seconds,
  },
  {
    name: 'gateway_time_to_first_token_seconds',
    type: 'histogram',
    help: 'Time from the arrival of a streamed request to the first event of its response. Errors do not count.',
    labels: ['provider', 'model'],
    unit: 'seconds',
    buckets: seconds,
  },
  {
    name: 'gateway_overhead_seconds',
    type: 'histogram',
    help: 'Time up to the first byte of the response, without the time spent waiting for providers.',
    labels: ['endpoint'],
    unit: 'seconds',
    buckets: shortSeconds,
  },
  {
    name: 'gateway_errors_total',
    type: 'counter',
    help: 'Requests that ended with an error, by error code and source: gateway or provider.',
    labels: ['code', 'source'],
    unit: 'requests',
  },
  {
    name: 'gateway_attempts_total',
    type: 'counter',
    help: 'Attempts by outcome: the status of the provider; without one, timeout, unreachable, faulty (the response is invalid), refused (the gateway did not send the request), skipped (a plugin left the target out) or cancelled (the client disconnected).',
    labels: ['provider', 'model', 'outcome'],
    unit: 'attempts',
  },
  {
    name: 'gateway_retries_total',
    type: 'counter',
    help: 'Retries: attempts at the same target as the attempt before, by the outcome of the attempt before.',
    labels: ['provider', 'model', 'reason'],
    unit: 'attempts',
  },
  {
    name: 'gateway_fallbacks_total',
    type: 'counter',
    help: 'Fallbacks from one target to the next, by the outcome of the last attempt at the first one.',
    labels: ['config', 'from', 'to', 'reason'],
    unit: 'moves',
  },
  {
    name: 'gateway_tokens_total',
    type: 'counter',
    help: 'Tokens that providers reported; estimated if a provider reported none. direction is input or output.',
    labels: ['provider', 'model', 'direction'],
    unit: 'tokens',
    hasMetadata: true,
  },
  {
    name: 'gateway_token_details_total',
    type: 'counter',
    help: 'Parts of gateway_tokens_total: cached, cache_write and audio_in of the input, reasoning and audio_out of the output.',
    labels: ['provider', 'model', 'kind'],
    unit: 'tokens',
  },
  {
    name: 'gateway_cost_usd_total',
    type: 'counter',
    help: 'Cost of requests whose price is known, summed without rounding.',
    labels: ['config', 'provider', 'model', 'key'],
    unit: 'US dollars',
    hasMetadata: true,
  },
  {
    name: 'gateway_unpriced_requests_total',
    type: 'counter',
    help: 'Requests with usage that has a price (tokens, images, …) and whose price is unknown.',
    labels: ['provider', 'model'],
    unit: 'requests',
  },
  {
    name: 'gateway_cache_requests_total',
    type: 'counter',
    help: 'Requests by result of the cache: hit, miss, disabled, refresh.',
    labels: ['result'],
    unit: 'requests',
  },
  {
    name: 'gateway_guardrail_total',
    type: 'counter',
    help: 'Verdicts of guardrails.',
    labels: ['name', 'verdict'],
    unit: 'verdicts',
  },
  {
    name: 'gateway_limit_rejections_total',
    type: 'counter',
    help: 'Requests that a limit of the gateway rejected: rate (requests, tokens or requests in flight of one key), budget (of one key) or overload (the limits of the whole gateway).',
    labels: ['limit', 'key'],
    unit: 'requests',
  },
  {
    name: 'gateway_redactions_total',
    type: 'counter',
    help: 'Values that were masked in stored bodies, by kind.',
    labels: ['kind'],
    unit: 'values',
  },
  {
    name: 'gen_ai_client_operation_duration_seconds',
    type: 'histogram',
    help: 'OpenTelemetry gen_ai.client.operation.duration: time of the last attempt of each request.',
    labels: [...genAi, 'error_type'],
    unit: 'seconds',
    buckets: genAiSeconds,
  },
  {
    name: 'gen_ai_client_token_usage',
    type: 'histogram',
    help: 'OpenTelemetry gen_ai.client.token.usage: tokens of each request, as its provider reported them; gen_ai_token_type is input or output.',
    labels: [...genAi, 'gen_ai_token_type'],
    unit: 'tokens',
    buckets: genAiTokens,
  },
  {
    name: 'gen_ai_client_operation_time_to_first_chunk_seconds',
    type: 'histogram',
    help: 'OpenTelemetry gen_ai.client.operation.time_to_first_chunk: from the start of the last attempt to its first byte, streams only.',
    labels: genAi,
    unit: 'seconds',
    buckets: genAiSeconds,
  },
  {
    name: 'gen_ai_server_time_to_first_token_seconds',
    type: 'histogram',
    help: 'OpenTelemetry gen_ai.server.time_to_first_token: the same time in the buckets for model servers.',
    labels: genAi,
    unit: 'seconds',
    buckets: genAiFirstToken,
  },
] as const satisfies readonly MetricRow[];

/** Read at each scrape. */
export const stateTable = [
  { name: 'gateway_inflight_requests', type: 'gauge', help: 'Requests in progress.', labels: [], unit: 'requests' },
  { name: 'gateway_open_streams', type: 'gauge', help: 'Streamed responses in progress.', labels: [], unit: 'responses' },
  {
    name: 'gateway_connections_rejected_total',
    type: 'counter',
    help: 'Client connections that were closed at once, because as many were open as server.max_connections or the limit of open files allows.',
    labels: [],
    unit: 'connections',
  },
  {
    name: 'gateway_body_memory_bytes',
    type: 'gauge',
    help: 'Memory that the bodies of requests in progress use.',
    labels: [],
    unit: 'bytes',
  },
  {
    name: 'gateway_body_memory_limit_bytes',
    type: 'gauge',
    help: 'Maximum of gateway_body_memory_bytes: server.memory.',
    labels: [],
    unit: 'bytes',
  },
  {
    name: 'gateway_provider_up',
    type: 'gauge',
    help: '0 when a provider had at least three attempts in the last five minutes and all failed (no response, 401, 403, 408, 429, 5xx, or a stream that broke off), else 1; attempts whose client disconnected first, and attempts that the gateway did not send, do not count.',
    labels: ['provider'],
    unit: '',
  },
  {
    name: 'gateway_key_expiry_timestamp_seconds',
    type: 'gauge',
    help: 'When an API key expires, as Unix time; keys that do not expire have no sample.',
    labels: ['key'],
    unit: 'seconds',
  },
  {
    name: 'gateway_key_budget_used_ratio',
    type: 'gauge',
    help: 'The part of the budget of an API key, or of a virtual key (`virtual_key:NAME`), that it has spent in the current period, as the request log had it within the last minute.',
    labels: ['key'],
    unit: '',
  },
  {
    name: 'gateway_config_last_reload_successful',
    type: 'gauge',
    help: '1 if the last load of the configuration was successful; 0 while the gateway rejects the files and uses the previous configuration.',
    labels: [],
    unit: '',
  },
  {
    name: 'gateway_config_last_reload_success_timestamp_seconds',
    type: 'gauge',
    help: 'When the current configuration was loaded, as Unix time.',
    labels: [],
    unit: 'seconds',
  },
  { name: 'gateway_config_info', type: 'gauge', help: 'Revision of the current configuration.', labels: ['revision'], unit: '' },
  { name: 'gateway_build_info', type: 'gauge', help: 'Version of the gateway and of Node.', labels: ['version', 'node'], unit: '' },
  {
    name: 'gateway_log_dropped_total',
    type: 'counter',
    help: 'What the request log has lost since the start: records, or bodies that were deleted to free space or were not masked in time.',
    labels: ['what'],
    unit: '',
  },
  { name: 'gateway_log_spool_bytes', type: 'gauge', help: 'Records on disk that are not in the store yet.', labels: [], unit: 'bytes' },
  {
    name: 'gateway_log_spool_limit_bytes',
    type: 'gauge',
    help: 'Maximum of gateway_log_spool_bytes: logging.requests.spool_size.',
    labels: [],
    unit: 'bytes',
  },
  { name: 'gateway_log_lag_seconds', type: 'gauge', help: 'How far the store is behind the newest record.', labels: [], unit: 'seconds' },
  { name: 'gateway_log_records', type: 'gauge', help: 'Records in the store.', labels: [], unit: 'records' },
  { name: 'gateway_log_store_bytes', type: 'gauge', help: 'Size of the store.', labels: [], unit: 'bytes' },
  {
    name: 'gateway_log_problems',
    type: 'gauge',
    help: 'Number of problems that the store reports; 0 if there are none.',
    labels: [],
    unit: 'problems',
  },
  {
    name: 'gateway_otlp_items_total',
    type: 'counter',
    help: 'Spans (signal="traces") and log records (signal="logs") by result: exported, rejected by the collector, failed after all retries, or dropped because the queue was full.',
    labels: ['signal', 'result'],
    unit: 'items',
  },
  {
    name: 'gateway_otlp_waiting_bytes',
    type: 'gauge',
    help: 'Records that wait to be encoded for export; each character counts as one byte.',
    labels: [],
    unit: 'bytes',
  },
  {
    name: 'gateway_worker_up',
    type: 'gauge',
    help: '1 while a worker process serves and responds, else 0. The metrics of workers exist only with server.workers above 1.',
    labels: ['worker'],
    unit: '',
  },
  {
    name: 'gateway_worker_restarts_total',
    type: 'counter',
    help: 'Worker processes that ended by themselves or did not respond, and were replaced.',
    labels: ['worker'],
    unit: 'processes',
  },
  { name: 'gateway_worker_requests_total', type: 'counter', help: 'Finished requests by worker.', labels: ['worker'], unit: 'requests' },
  {
    name: 'gateway_metrics_series',
    type: 'gauge',
    help: 'Number of series in memory.',
    labels: [],
    unit: 'series',
  },
] as const satisfies readonly MetricRow[];

/** All metrics. */
export const metricsTable: readonly MetricRow[] = [...requestTable, ...stateTable, ...processTable];

export type RequestMetric = (typeof requestTable)[number]['name'];
export type StateMetric = (typeof stateTable)[number]['name'];
