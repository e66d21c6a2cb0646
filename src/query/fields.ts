import type { LogRow } from '../core/logs/row.ts';

/** How values of a field are written and compared. `time` limits the whole query; the others are members of a row. */
export type FieldType = 'text' | 'number' | 'duration' | 'money' | 'boolean' | 'time';

/** A name that can be used in a filter. */
export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly about: string;
  readonly example: string;
  /** Member of a row, and column of a store. A field whose name ends with `.*` reads one key of it. */
  readonly column: keyof LogRow;
}

/** All fields of the filter language. The parser, matching, SQL, suggestions and documentation use this table. */
export const fields: readonly Field[] = [
  { name: 'id', type: 'text', column: 'id', example: 'req_01JD3K8ZQ4M6N7P8R9S0T1V2W3', about: 'Request id.' },
  { name: 'trace', type: 'text', column: 'trace', example: '4bf92f3577b34da6a3ce929d0e0e4736', about: 'Trace id.' },
  { name: 'span', type: 'text', column: 'span', example: 'step-1', about: 'Span id that the client sent.' },
  { name: 'span_name', type: 'text', column: 'span_name', example: '"Search the web"', about: 'Name that the client gave the span.' },
  { name: 'status', type: 'number', column: 'status', example: '>=400', about: 'HTTP status of the response; `4xx` is a class.' },
  { name: 'error', type: 'text', column: 'error', example: 'rate_limited,timeout', about: 'Error code.' },
  {
    name: 'end',
    type: 'text',
    column: 'end',
    example: 'client_gone',
    about: 'How the response ended: `whole`, `fault`, `client_gone`, `drained`.',
  },
  { name: 'config', type: 'text', column: 'config', example: 'support', about: 'Name of the config.' },
  { name: 'provider', type: 'text', column: 'provider', example: 'openai-main', about: 'Slug of the provider that responded last.' },
  {
    name: 'model',
    type: 'text',
    column: 'model',
    example: 'gpt-4o*',
    about: 'Model as it was sent to the provider, else as it was requested.',
  },
  { name: 'key', type: 'text', column: 'key', example: 'app-web', about: 'Name of the API key; `jwt:` and the name for a token.' },
  { name: 'virtual_key', type: 'text', column: 'virtual_key', example: 'batch-team', about: 'Name of the virtual key.' },
  { name: 'endpoint', type: 'text', column: 'endpoint', example: 'chat*', about: 'Endpoint of the API that was called.' },
  { name: 'stream', type: 'boolean', column: 'stream', example: 'true', about: 'Whether a stream was requested.' },
  { name: 'finish', type: 'text', column: 'finish', example: 'length', about: 'Finish reason of the first choice.' },
  { name: 'cache', type: 'text', column: 'cache', example: 'HIT', about: 'State of the cache.' },
  { name: 'fallback', type: 'boolean', column: 'fallback', example: 'true', about: 'Whether another target was tried before.' },
  { name: 'attempts', type: 'number', column: 'attempts', example: '>1', about: 'Number of attempts, retries included.' },
  { name: 'retries', type: 'number', column: 'retries', example: '>0', about: 'Attempts that repeated the one before at the same target.' },
  {
    name: 'reason',
    type: 'text',
    column: 'reason',
    example: '429,timeout',
    about: 'Why the request was first retried or moved to another target: the status of its first attempt, else its outcome.',
  },
  { name: 'latency', type: 'duration', column: 'latency', example: '>2s', about: 'Time from arrival to the end of the response.' },
  { name: 'ttft', type: 'duration', column: 'ttft', example: '>800ms', about: 'Time to first token of a stream.' },
  { name: 'overhead', type: 'duration', column: 'overhead', example: '>5ms', about: 'Time that the gateway itself used.' },
  { name: 'tokens_in', type: 'number', column: 'tokens_in', example: '>10k', about: 'Input tokens.' },
  { name: 'tokens_out', type: 'number', column: 'tokens_out', example: '>1k', about: 'Output tokens.' },
  {
    name: 'cost',
    type: 'money',
    column: 'cost',
    example: '>0.01',
    about: 'Cost in US dollars; `-cost:*` finds requests with an unknown price.',
  },
  { name: 'guardrail', type: 'text', column: 'guardrail', example: 'pii', about: 'Name of the first guardrail that acted.' },
  { name: 'prompt', type: 'text', column: 'prompt', example: 'greeting', about: 'Id of the stored prompt.' },
  { name: 'revision', type: 'text', column: 'revision', example: '91bd0e7*', about: 'Revision of the configuration.' },
  { name: 'upstream_id', type: 'text', column: 'upstream_id', example: 'chatcmpl-9x*', about: 'Request id of the provider.' },
  { name: 'agent', type: 'text', column: 'agent', example: 'OpenAI/Python*', about: 'User agent of the client.' },
  {
    name: 'label.*',
    type: 'text',
    column: 'label',
    example: 'support',
    about: 'A label of the config, by its name.',
  },
  { name: 'meta.*', type: 'text', column: 'meta', example: 'u42', about: 'A metadata key of the request.' },
  { name: 'since', type: 'time', column: 'at', example: '1h', about: 'Requests that arrived at this time or later; UTC without a zone.' },
  {
    name: 'until',
    type: 'time',
    column: 'at',
    example: '2026-11-21T09:31Z',
    about: 'Requests that arrived before this time; UTC without a zone.',
  },
];

const byName: ReadonlyMap<string, Field> = new Map(fields.map((field) => [field.name, field]));

/** A field, with the key that it reads in case of `meta.user`. */
export interface FieldRef {
  readonly field: Field;
  /** Empty for a field without keys. */
  readonly key: string;
}

/** Finds a field by name. Field names are case-insensitive; the key after `meta.` is case-sensitive. */
export function findField(name: string): FieldRef | undefined {
  const dot = name.indexOf('.');
  if (dot === -1) {
    const field = byName.get(name.toLowerCase());
    return field === undefined ? undefined : { field, key: '' };
  }
  const field = byName.get(`${name.slice(0, dot).toLowerCase()}.*`);
  return field === undefined || dot === name.length - 1 ? undefined : { field, key: name.slice(dot + 1) };
}

/** Names as users write them: `meta.` instead of `meta.*`. */
export const fieldNames: readonly string[] = fields.map(({ name }) => name.replace('*', ''));
