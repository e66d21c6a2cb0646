import type { MetricsSettings, ObservabilitySettings, OtlpTarget, TracingSettings } from '../../core/snapshot.ts';
import type { ObservabilityEntry } from '../schema/index.ts';

/** Compiles `observability:`. */
export function compileObservability(entry: ObservabilityEntry = {}): ObservabilitySettings {
  return Object.freeze({
    metrics: metricsOf(entry.metrics),
    tracing: tracingOf(entry.tracing),
    logs: targetOf(entry.logs, 'v1/logs'),
    resource: Object.freeze({ ...entry.resource }),
  });
}

function metricsOf(entry: ObservabilityEntry['metrics']): MetricsSettings | undefined {
  if (typeof entry === 'string') return undefined;
  return Object.freeze({ path: entry?.path ?? '/metrics', metadataLabels: Object.freeze([...(entry?.metadata_labels ?? [])]) });
}

function tracingOf(entry: ObservabilityEntry['tracing']): TracingSettings | undefined {
  const target = targetOf(entry, 'v1/traces');
  return target === undefined ? undefined : Object.freeze({ ...target, ratio: Number.parseFloat(entry?.sample ?? '100%') / 100 });
}

interface TargetEntry {
  readonly otlp: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly content?: boolean;
}

/**
 * The address of a collector is the base of all its signals, as in OTEL_EXPORTER_OTLP_ENDPOINT. An address that already
 * ends with the path of the signal is used as written.
 */
function targetOf(entry: TargetEntry | undefined, path: string): OtlpTarget | undefined {
  if (entry === undefined || entry.otlp === '') return undefined;
  const base = entry.otlp.replace(/\/+$/, '');
  const url = base.endsWith(`/${path}`) ? base : `${base}/${path}`;
  return Object.freeze({ url, headers: Object.freeze({ ...entry.headers }), content: entry.content ?? false });
}
