import type { MetricRow } from '../../../src/telemetry/metrics/series.ts';
import { metricsTable } from '../../../src/telemetry/metrics/table.ts';

/** `docs/metrics.md`: the table that the registry is built from. */
export function metricsPage(): string {
  return `${[
    '# Metrics',
    'Prometheus metrics, on `server.probe_listen` and on the admin listener. [Observability](observability.md) describes the configuration, the dashboard and the alerts.',
    table('Requests', 'gateway_', (row) => row.name.endsWith('_total') || row.type === 'histogram'),
    table('State', 'gateway_', (row) => !(row.name.endsWith('_total') || row.type === 'histogram')),
    table('GenAI conventions of OpenTelemetry', 'gen_ai_', () => true),
    table('Process', '', ({ name }) => /^(process|nodejs)_/.test(name)),
    '¹ Also the labels of `observability.metrics.metadata_labels`, as `meta_<key>`.',
    'A label has at most 100 values: further ones become `other`. At most 50 of them may come from requests that failed, so that clients that send wrong model names leave room for the others. A label without a value is `-`. A counter has at most 5,000 series and a histogram 1,000; further ones count as `other`. A histogram has no series before its first value.',
    'With `server.workers` above 1, these limits apply to each worker, and the metrics are the sums of all workers.',
    'All counters begin at zero when the gateway starts.',
  ].join('\n\n')}\n`;
}

function table(title: string, prefix: string, filter: (row: MetricRow) => boolean): string {
  const rows = metricsTable.filter((row) => row.name.startsWith(prefix) && filter(row));
  return [`## ${title}\n`, '| Metric | Type | Labels | Meaning |', '|---|---|---|---|', ...rows.map(line)].join('\n');
}

function line({ name, type, labels, help, buckets, hasMetadata }: MetricRow): string {
  const ofLabels = labels.length === 0 ? '' : labels.map((label) => `\`${label}\``).join(', ');
  const meaning = buckets === undefined ? help : `${help} Buckets: ${buckets.join(', ')}.`;
  return `| \`${name}\` | ${type} | ${ofLabels}${hasMetadata === true ? ' ¹' : ''} | ${meaning} |`;
}
