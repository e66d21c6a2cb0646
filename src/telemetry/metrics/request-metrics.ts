import type { ErrorCode } from '../../core/error.ts';
import { isRetry } from '../../core/logs/row.ts';
import type { AttemptRecord, LogRecord, UsageRecord } from '../../core/records/record.ts';
import { errorTypeOf } from '../error-type.ts';
import { operationOf } from '../operation.ts';
import { brokeOff, isProviderFailure, outcomeOf, wasSent } from './attempts.ts';
import { LabelValues } from './label-values.ts';
import { type HealthCounts, ProviderHealth } from './provider-health.ts';
import { type MetricRow, CountSeries, DecimalSeries, Family, HistogramSeries, type Series } from './series.ts';
import { type RequestMetric, requestTable } from './table.ts';

export interface RequestMetricsSettings {
  /** Metadata keys whose values become labels. */
  readonly metadataLabels: readonly string[];
  /** Returns a provider's name in the GenAI conventions for its type. */
  providerName(type: string): string;
  /** Masks secrets in labels. */
  mask(text: string): string;
}

/** The series of requests with the same labels: resolved once and found again by a text key. */
interface RequestSeries {
  readonly requests: CountSeries;
  readonly duration: HistogramSeries;
  readonly firstToken: HistogramSeries;
  readonly overhead: HistogramSeries;
  readonly cache: CountSeries;
  readonly error: CountSeries | undefined;
  readonly limit: CountSeries | undefined;
  /** Set if there was exactly one attempt. */
  readonly attempt: AttemptSeries | undefined;
  /** True if the provider failed after its response had begun. */
  readonly brokeOff: boolean;
  /** Set if the request was a model operation that was sent to a provider. */
  readonly model: ModelSeries | undefined;
  /** Created by the first request with usage. */
  usage: UsageSeries | undefined;
}

interface ModelSeries {
  readonly duration: HistogramSeries;
  readonly firstToken: HistogramSeries;
  readonly firstChunk: HistogramSeries;
  readonly inputSize: HistogramSeries;
  readonly outputSize: HistogramSeries;
}

interface UsageSeries {
  readonly input: CountSeries;
  readonly output: CountSeries;
  readonly cost: DecimalSeries;
  readonly unpriced: CountSeries;
  /** By kind, created by the first request with such tokens. */
  readonly details: { [D in Detail]?: CountSeries };
}

interface AttemptSeries {
  readonly count: CountSeries;
  readonly health: ProviderHealth;
  readonly isFailure: boolean | undefined;
}

/** Maximum number of cached kinds; others are resolved each time. */
const maxCachedSeries = 4096;

/** Limits of the gateway, by the error code that a request gets. */
const limitCodes: ReadonlyMap<string, string> = new Map([
  ['rate_limited', 'rate'],
  ['budget_exhausted', 'budget'],
  ['overloaded', 'overload'],
] satisfies [ErrorCode, string][]);

/** Counts finished requests. `add` is called for each one right after its last bytes were written, so it only adds numbers. */
export class RequestMetrics {
  readonly families: readonly Family<Series>[];
  readonly #health = new Map<string, ProviderHealth>();
  readonly #values: LabelValues;
  readonly #requestSeries = new Map<string, RequestSeries>();
  readonly #attempts = new Map<string, AttemptSeries>();
  readonly #counts = new Map<string, Family<CountSeries>>();
  readonly #histograms = new Map<string, Family<HistogramSeries>>();
  readonly #cost: Family<DecimalSeries>;
  #settings: RequestMetricsSettings;

  constructor(settings: RequestMetricsSettings) {
    this.#settings = settings;
    this.#values = new LabelValues(settings.mask);
    const families: Family<Series>[] = [];
    for (const row of requestTable as readonly MetricRow[]) {
      if (row.name === costName) continue;
      if (row.type === 'histogram') {
        const family = new Family(row, (labels) => new HistogramSeries(labels, row.buckets ?? []));
        this.#histograms.set(row.name, family);
        families.push(family);
      } else {
        const family = new Family(row, (labels) => new CountSeries(labels));
        this.#counts.set(row.name, family);
        families.push(family);
      }
    }
    this.#cost = new Family(rowOf(costName), (labels) => new DecimalSeries(labels));
    this.families = [...families, this.#cost];
  }

  /** Changes the labels, from the next request on. */
  configure(settings: RequestMetricsSettings): void {
    this.#settings = settings;
    this.#values.mask = settings.mask;
    this.#requestSeries.clear();
    this.#attempts.clear();
  }

  isUp(provider: string, now: number): boolean {
    return this.#health.get(provider)?.isUp(now) ?? true;
  }

  /** Returns the counts of each provider that was used. @param now Unix milliseconds */
  health(now: number): readonly (readonly [provider: string, counts: HealthCounts])[] {
    return [...this.#health].map(([provider, health]) => [provider, health.counts(now)]);
  }

  get series(): number {
    return this.families.reduce((sum, { size }) => sum + size, 0);
  }

  add(record: LogRecord): void {
    const { attempts, ms } = record;
    const kind = this.#requestSeriesOf(record);
    kind.requests.value += 1;
    kind.duration.observe(ms.total / 1000);
    if (record.admitted) kind.overhead.observe(ms.overhead / 1000);
    kind.cache.value += 1;
    if (kind.error !== undefined) kind.error.value += 1;
    if (kind.limit !== undefined) kind.limit.value += 1;
    const isStreamed = record.stream && ms.first_event !== null;
    if (isStreamed) kind.firstToken.observe((ms.first_event ?? 0) / 1000);
    const last = attempts.length === 0 ? undefined : (attempts[attempts.length - 1] as AttemptRecord);
    if (kind.attempt !== undefined && last !== undefined) count(kind.attempt, last, record.at, kind.brokeOff);
    else if (attempts.length > 1) this.#addAttempts(record, kind.brokeOff);
    if (last !== undefined) {
      if (kind.model !== undefined && wasSent(last)) addModel(kind.model, last, record, isStreamed);
      if (hasUsageOrCost(record)) this.#addUsage(record, last, (kind.usage ??= this.#createUsageSeries(record, last)));
    }
    if (record.guardrails.length > 0) this.#addGuardrails(record.guardrails);
    for (const what in record.redactions)
      this.#count('gateway_redactions_total', [this.#values.of('kind', what)]).value += record.redactions[what] ?? 0;
  }

  #addUsage({ usage, cost }: LogRecord, last: AttemptRecord, kind: UsageSeries): void {
    kind.input.value += usage.prompt;
    kind.output.value += usage.completion;
    for (const detail of details) {
      if (usage[detail] === 0) continue;
      const series = (kind.details[detail] ??= this.#detail(last, detail));
      series.value += usage[detail];
    }
    if (cost.usd === null) kind.unpriced.value += 1;
    else kind.cost.add(cost.usd);
  }

  #detail({ provider, model }: AttemptRecord, kind: Detail): CountSeries {
    return this.#count('gateway_token_details_total', [this.#values.of('provider', provider), this.#values.of('model', model), kind]);
  }

  /** @param isBroken true if the last attempt broke off */
  #addAttempts({ attempts, at, config }: LogRecord, isBroken: boolean): void {
    for (let n = 0; n < attempts.length; n += 1) {
      const attempt = attempts[n] as AttemptRecord;
      count(this.#attemptSeriesOf(attempt), attempt, at, isBroken && n === attempts.length - 1);
      if (n > 0) this.#addTransition(attempts[n - 1] as AttemptRecord, attempt, config);
    }
  }

  #addTransition(from: AttemptRecord, to: AttemptRecord, config: string | null): void {
    const values = this.#values;
    const reason = values.of('outcome', outcomeOf(from));
    const left = values.of('provider', from.provider);
    if (isRetry(from, to)) {
      this.#count('gateway_retries_total', [left, values.of('model', from.model, false), reason]).value += 1;
      return;
    }
    this.#count('gateway_fallbacks_total', [values.of('config', config), left, values.of('provider', to.provider), reason]).value += 1;
  }

  #addGuardrails(guardrails: readonly unknown[]): void {
    for (const each of guardrails) {
      if (typeof each !== 'object' || each === null) continue;
      const { name, verdict } = each as { name?: unknown; verdict?: unknown };
      const labels = [this.#values.of('name', textOf(name)), this.#values.of('verdict', textOf(verdict))];
      this.#count('gateway_guardrail_total', labels).value += 1;
    }
  }

  #attemptSeriesOf(attempt: AttemptRecord): AttemptSeries {
    const key = `${attempt.provider}\n${attempt.model}\n${attempt.outcome}\n${attempt.status ?? ''}`;
    const known = this.#attempts.get(key);
    if (known !== undefined) return known;
    const values = this.#values;
    const wasProvisional = values.isProvisional;
    values.isProvisional = false;
    const provider = values.of('provider', attempt.provider);
    const isProven = attempt.status !== null && attempt.status < 400;
    const labels = [provider, values.of('model', attempt.model, isProven), values.of('outcome', outcomeOf(attempt))];
    const health = this.#health.get(provider) ?? new ProviderHealth();
    this.#health.set(provider, health);
    const made = { count: this.#count('gateway_attempts_total', labels), health, isFailure: isProviderFailure(attempt) };
    if (!values.isProvisional) keep(this.#attempts, key, made);
    values.isProvisional ||= wasProvisional;
    return made;
  }

  #requestSeriesOf(record: LogRecord): RequestSeries {
    const { metadataLabels } = this.#settings;
    const { attempts } = record;
    const last = attempts.length === 0 ? undefined : (attempts[attempts.length - 1] as AttemptRecord);
    const model = last === undefined ? record.model.asked : last.model;
    // Missing values are the empty string, because a client can send "null" and "undefined".
    let key = `${record.config ?? ''}\n${record.provider ?? ''}\n${model ?? ''}\n${record.status}\n${record.key ?? ''}\n${record.endpoint}\n${record.model.answered ?? ''}\n${record.cache}`;
    if (last !== undefined) key += `${attempts.length === 1 ? '' : '\n+'}\n${last.outcome}\n${last.status}`;
    if (record.error !== null) key += `\n${record.error.source}\n${record.error.code}`;
    for (const name of metadataLabels) key += `\n${record.metadata[name] ?? ''}`;
    const known = this.#requestSeries.get(key);
    if (known !== undefined) return known;
    this.#values.isProvisional = false;
    const made = this.#createRequestSeries(record, model);
    if (!this.#values.isProvisional) keep(this.#requestSeries, key, made);
    return made;
  }

  #createRequestSeries(record: LogRecord, requestedModel: string | null): RequestSeries {
    const values = this.#values;
    const { error } = record;
    const isProven = record.status < 400;
    const config = values.of('config', record.config);
    const provider = values.of('provider', record.provider);
    const model = values.of('model', requestedModel, isProven);
    const key = values.of('key', record.key);
    const limit = error?.source === 'gateway' ? limitCodes.get(error.code) : undefined;
    return {
      requests: this.#count('gateway_requests_total', [config, provider, model, values.of('status', String(record.status)), key], record),
      duration: this.#histogram('gateway_request_duration_seconds', [config, provider, model]),
      firstToken: this.#histogram('gateway_time_to_first_token_seconds', [provider, model]),
      overhead: this.#histogram('gateway_overhead_seconds', [values.of('endpoint', record.endpoint)]),
      cache: this.#count('gateway_cache_requests_total', [values.of('result', record.cache.toLowerCase())]),
      error: error === null ? undefined : this.#count('gateway_errors_total', [values.of('code', error.code), error.source]),
      limit: limit === undefined ? undefined : this.#count('gateway_limit_rejections_total', [limit, key]),
      attempt: record.attempts.length === 1 ? this.#attemptSeriesOf(record.attempts[0] as AttemptRecord) : undefined,
      brokeOff: brokeOff(record),
      model: this.#createModelSeries(record, model),
      usage: undefined,
    };
  }

  #createUsageSeries(record: LogRecord, last: AttemptRecord): UsageSeries {
    const values = this.#values;
    const provider = values.of('provider', record.provider);
    const model = values.of('model', last.model, record.status < 400);
    const tokens = (direction: string): CountSeries => this.#count('gateway_tokens_total', [provider, model, direction], record);
    const labels = [values.of('config', record.config), provider, model, values.of('key', record.key), ...this.#metadataOf(record)];
    return {
      input: tokens('input'),
      output: tokens('output'),
      cost: this.#cost.at(labels, this.#metadataNames()),
      unpriced: this.#count('gateway_unpriced_requests_total', [provider, model]),
      details: {},
    };
  }

  #createModelSeries(record: LogRecord, model: string): ModelSeries | undefined {
    const operation = operationOf(record.endpoint);
    const last = record.attempts.at(-1);
    if (operation === undefined || last === undefined || record.type === null) return undefined;
    const answered = this.#values.of('answered', record.model.answered, record.status < 400);
    const genAi = [operation, this.#settings.providerName(record.type), model, answered];
    const sizes = (type: string): HistogramSeries => this.#histogram('gen_ai_client_token_usage', [...genAi, type]);
    const errorType = errorTypeOf(last, record.error);
    const failure = errorType === undefined ? '' : this.#values.of('error_type', errorType);
    return {
      duration: this.#histogram('gen_ai_client_operation_duration_seconds', [...genAi, failure]),
      firstToken: this.#histogram('gen_ai_server_time_to_first_token_seconds', genAi),
      firstChunk: this.#histogram('gen_ai_client_operation_time_to_first_chunk_seconds', genAi),
      inputSize: sizes('input'),
      outputSize: sizes('output'),
    };
  }

  /**
   * Returns unique label names, even if keys differ only in characters that a label cannot have: Prometheus rejects a page with a
   * duplicate label in a series.
   */
  #metadataNames(): readonly string[] {
    const names = new Set<string>();
    for (const key of this.#settings.metadataLabels) {
      const name = `meta_${key.replaceAll(/\W/g, '_')}`;
      let unique = name;
      for (let n = 2; names.has(unique); n += 1) unique = `${name}_${n}`;
      names.add(unique);
    }
    return [...names];
  }

  #metadataOf({ metadata, status }: LogRecord): readonly string[] {
    return this.#settings.metadataLabels.map((name) => this.#values.of(`meta.${name}`, metadata[name], status < 400));
  }

  /** @param record set if the metric has metadata labels */
  #count(name: RequestMetric, values: readonly string[], record?: LogRecord): CountSeries {
    const family = this.#counts.get(name);
    if (family === undefined) throw new Error(`no counter ${name}`);
    return record === undefined ? family.at(values) : family.at([...values, ...this.#metadataOf(record)], this.#metadataNames());
  }

  #histogram(name: RequestMetric, values: readonly string[]): HistogramSeries {
    const family = this.#histograms.get(name);
    if (family === undefined) throw new Error(`no histogram ${name}`);
    return family.at(values);
  }
}

const costName = 'gateway_cost_usd_total' satisfies RequestMetric;

type Detail = (typeof details)[number];

const details = ['cached', 'cache_write', 'reasoning', 'audio_in', 'audio_out'] as const satisfies readonly (keyof UsageRecord)[];

function rowOf(name: RequestMetric): MetricRow {
  const row = (requestTable as readonly MetricRow[]).find((each) => each.name === name);
  if (row === undefined) throw new Error(`no metric ${name}`);
  return row;
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  if (map.size >= maxCachedSeries) map.clear();
  map.set(key, value);
}

/** @param isBroken true if the provider failed after its response had begun */
function count(kind: AttemptSeries, { at, total_ms: totalMs }: AttemptRecord, arrival: number, isBroken: boolean): void {
  kind.count.value += 1;
  if (kind.isFailure !== undefined) kind.health.add(kind.isFailure || isBroken, arrival + at + totalMs);
}

function addModel(kind: ModelSeries, last: AttemptRecord, { usage }: LogRecord, isStreamed: boolean): void {
  kind.duration.observe(last.total_ms / 1000);
  if (isStreamed && last.first_byte_ms !== null) {
    kind.firstToken.observe(last.first_byte_ms / 1000);
    kind.firstChunk.observe(last.first_byte_ms / 1000);
  }
  // The conventions allow no estimates here, and have no size for units other than tokens.
  if (usage.source !== 'reported') return;
  if (usage.prompt > 0) kind.inputSize.observe(usage.prompt);
  if (usage.completion > 0) kind.outputSize.observe(usage.completion);
}

/** True if the request has usage or a cost. Images and characters are not counted in tokens, and a request can have a fixed price. */
const hasUsageOrCost = ({ usage, cost: { usd } }: LogRecord): boolean =>
  usage.source !== 'none' || usage.details !== undefined || (usd !== null && usd !== '0');

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
