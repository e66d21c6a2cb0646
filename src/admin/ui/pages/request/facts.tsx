import type { ComponentChildren } from 'preact';
import type { StoredRecord } from '../../../../core/logs/reader.ts';
import { fromHeader } from '../../../../core/http/header-text.ts';
import { endings } from '../../../../core/records/endings.ts';
import type { LogRecord, MessageRecord } from '../../../../core/records/record.ts';
import { hiddenValue, masked } from '../../../../core/secrets/credential-names.ts';
import { bytes, count, duration, moment, usd, zone } from '../../browser/format.ts';
import { Facts } from '../../components/display.tsx';
import { requestsHref, term } from '../../log/terms.ts';

type Rows = readonly (readonly [string, ComponentChildren])[];

export function FactsPane({ stored }: { stored: StoredRecord }) {
  const { record, feedback } = stored;
  return (
    <div class="stack all-facts">
      <Section title="Request" rows={requestRows(record)} />
      <Section title="Tokens and cost" rows={costRows(record)} />
      <Section title="Metadata" rows={pairs(record.metadata, 'meta')} />
      <Section title="Labels" rows={pairs(record.labels, 'label')} />
      <Section title="Routing" rows={routeRows(record)} />
      <Section title="Dropped parameters" rows={record.dropped.map(({ param, reason }) => [param, reason])} />
      <Section
        title="Overridden choices"
        rows={record.overruled.map(({ choice, value, by }) => [choice, `${value}, because ${by} took precedence`])}
      />
      <Section title="Redacted" rows={Object.entries(record.redactions).map(([kind, n]) => [kind, count(n)])} />
      <Section
        title="Feedback"
        rows={feedback.map(({ at, value, weight, metadata }) => [
          moment(at),
          `${value} (weight ${weight}) ${Object.keys(metadata).length > 0 ? JSON.stringify(metadata) : ''}`,
        ])}
      />
      <Section title="Headers from the client" rows={headers(record.request)} />
      <Section title="Headers to the provider" rows={headers(record.upstream)} />
      <Section title="Headers of the response" rows={headers(record.response)} />
    </div>
  );
}

function Section({ title, rows }: { title: string; rows: Rows }) {
  return rows.length === 0 ? null : (
    <section class="stack tight">
      <h3>{title}</h3>
      <Facts rows={rows} />
    </section>
  );
}

const filterLink = (field: string, value: string | null): ComponentChildren =>
  value === null ? null : <a href={requestsHref(term(field, value))}>{value}</a>;

function requestRows(record: LogRecord): Rows {
  const { client, end, bytes: size, prompt, model, trace } = record;
  return [
    ['call', <code key="c">{`${record.method} ${record.path}`}</code>],
    ['time', `${moment(record.at)} ${zone(record.at)}`],
    ['key', filterLink('key', record.key)],
    ['virtual key', filterLink('virtual_key', record.virtual_key)],
    ['config', filterLink('config', record.config)],
    ['revision', <code key="r">{record.revision}</code>],
    ['span name', filterLink('span_name', trace.span_name)],
    ['span', filterLink('span', trace.span_id)],
    ['parent span', trace.parent],
    ['prompt', prompt === null ? null : `${prompt.id} version ${prompt.version}${prompt.label === null ? '' : ` (${prompt.label})`}`],
    ['model', model.asked],
    ['sent as', model.sent === model.asked ? null : model.sent],
    ['in the response', model.answered === model.sent ? null : model.answered],
    ['foundation model', record.foundation_model],
    ['end', endings[end]],
    ['finish', record.finish.join(', ')],
    ['cache', record.cache === 'DISABLED' ? null : record.cache.toLowerCase()],
    ['client', client.ip],
    ['user agent', client.agent],
    ['sizes', `${bytes(size.in)} in · ${bytes(size.out)} out`],
    ['bodies', record.bodies],
    [
      'socket',
      record.socket === null ? null : `closed with ${record.socket.close.client} (client), ${record.socket.close.provider} (provider)`,
    ],
  ];
}

function costRows({ usage, cost, ms, provider, stream }: LogRecord): Rows {
  const numbers: Rows = [
    ['input', count(usage.prompt)],
    ['of these cached', usage.cached > 0 ? count(usage.cached) : null],
    ['written to the cache', usage.cache_write > 0 ? count(usage.cache_write) : null],
    ['output', count(usage.completion)],
    ['of these reasoning', usage.reasoning > 0 ? count(usage.reasoning) : null],
    ['audio', usage.audio_in + usage.audio_out > 0 ? `${count(usage.audio_in)} in · ${count(usage.audio_out)} out` : null],
    ['counted by', usage.source === 'reported' ? 'the provider' : usage.source === 'estimated' ? 'the gateway (estimated)' : null],
    ['first token', !stream || ms.first_event === null ? null : duration(ms.first_event)],
    [
      'cost',
      cost.usd === null
        ? provider && 'unknown price'
        : usd(cost.usd) === `$${cost.usd}`
          ? usd(cost.usd)
          : `${usd(cost.usd)} (${cost.usd} USD)`,
    ],
    ['price source', cost.source],
  ];
  return [
    ...numbers,
    ...Object.entries(cost.prices).map(
      ([name, price]) => [`price of ${name.replaceAll('_', ' ')}`, `$${price} per ${priceUnit(name)}`] as const,
    ),
  ];
}

/** What a price is for, as in `docs/costs.md`. */
const priceUnits: Readonly<Record<string, string>> = {
  characters: 'million characters',
  image: 'image',
  audio_minute: 'minute',
  web_searches: 'thousand',
  file_searches: 'thousand',
  container: 'container',
  request: 'request',
};
const priceUnit = (name: string): string => priceUnits[name] ?? 'million tokens';

function pairs(values: Readonly<Record<string, unknown>>, kind: 'meta' | 'label'): Rows {
  return Object.entries(values).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    // A filter for an empty value finds the requests without this name.
    if (text === '')
      return [
        name,
        <span key={name} class="muted">
          (empty)
        </span>,
      ];
    return [
      name,
      <a key={name} href={requestsHref(term(`${kind}.${name}`, text))}>
        {text}
      </a>,
    ];
  });
}

const routeRows = (record: LogRecord): Rows => [
  ...record.route.map(({ node, strategy, chose, because }) => [node, `${strategy}: target ${chose} (${because})`] as const),
  ...(record.target === null ? [] : [['target', record.target] as const]),
  ...record.attempts.flatMap(({ upstream_id: id }, i, { length }) => {
    const name = length === 1 ? 'upstream id' : `upstream id of attempt ${i + 1}`;
    return id === null ? [] : [[name, <code key={name}>{id}</code>] as const];
  }),
];

/** Masked parts are shown as values that a viewer may not see. */
const headers = ({ headers: all }: MessageRecord): Rows =>
  Object.entries(all).map(([name, value]) => [name, fromHeader(value).replaceAll(masked, hiddenValue)]);
