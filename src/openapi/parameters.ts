import type { Endpoint } from '../core/endpoint.ts';
import { canonicalPrefix, type RequestHeader, requestHeaders } from '../core/http/headers.ts';
import type { JsonSchema } from '../core/json/schema.ts';
import { flag, name, text } from './schema.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'header' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

/** Header values of printable ASCII characters without blanks. */
const headerText: JsonSchema = { type: 'string', pattern: '^[\\x21-\\x7e]*$' };

/** Gateway headers that every route reads. The headers page of the documentation lists all of them. */
const described: { readonly [H in RequestHeader]?: { readonly about: string; readonly schema?: JsonSchema } } = {
  provider: { about: 'Slug of a provider as @slug, or a provider type when the request has its own credential' },
  virtualKey: { about: 'Name of a virtual key, or a slug' },
  config: { about: 'Name of a config, or a config object as JSON' },
  traceId: { about: 'Trace that the request belongs to' },
  metadata: { about: 'JSON object of strings, for routing and the log' },
  strictCompliance: {
    about: 'false allows fields that the OpenAI format does not define',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  reasoningContent: {
    about: 'true adds the thinking text of the model as reasoning_content',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  requestTimeout: { about: 'Milliseconds; can only lower the timeout of the configuration', schema: { type: 'integer', minimum: 1 } },
};

export const headerParameters: readonly Parameter[] = (Object.keys(described) as RequestHeader[]).map((header) => ({
  name: canonicalPrefix + requestHeaders[header][0],
  in: 'header',
  required: false,
  description: described[header]?.about ?? '',
  schema: described[header]?.schema ?? headerText,
}));

const query = (key: string, schema: JsonSchema, description: string): Parameter => ({
  name: key,
  in: 'query',
  required: false,
  description,
  schema,
});

const after = query('after', name, 'Id of the last item of the previous page');
const limit = query('limit', { type: 'integer', minimum: 1, maximum: 100 }, 'Number of items per page');
const pages = [after, limit] as const;

/** Query parameters of list endpoints. */
export const queryParameters: { readonly [E in Endpoint]?: readonly Parameter[] } = {
  'files/list': [...pages, query('purpose', text, 'Only files of this purpose')],
  'batches/list': pages,
  'fine_tuning/jobs/list': pages,
  'fine_tuning/jobs/{id}/events': pages,
  'fine_tuning/jobs/{id}/checkpoints': pages,
  'responses/{id}': [query('stream', flag, 'Streams the remaining events of a background response')],
};
