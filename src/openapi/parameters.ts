import type { Endpoint } from '../core/endpoint.ts';
import { canonicalPrefix, type RequestHeader, requestHeaders } from '../core/headers.ts';
import type { JsonSchema } from '../core/json-schema.ts';
import { flag, name, text } from './schema.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'header' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

/** Characters that a header may hold. */
const headerText: JsonSchema = { type: 'string', pattern: '^[\\x21-\\x7e]*$' };

/** Gateway headers that every route reads; docs: headers has all of them. */
const described: { readonly [H in RequestHeader]?: { readonly about: string; readonly schema?: JsonSchema } } = {
  provider: { about: 'Slug of a provider as @slug, or a type where the request brings its credential' },
  virtualKey: { about: 'Name of a virtual key, or a slug' },
  config: { about: 'Name of a config, or a config object as JSON' },
  traceId: { about: 'Trace of which the request is a part' },
  metadata: { about: 'JSON object of texts for routing and the log' },
  strictCompliance: { about: 'false allows what the OpenAI format does not have', schema: { type: 'string', enum: ['true', 'false'] } },
  reasoningContent: {
    about: 'true adds the thoughts of the model as reasoning_content',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  requestTimeout: { about: 'Milliseconds', schema: { type: 'integer', minimum: 1000 } },
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

const after = query('after', name, 'Id of the last row of the page before');
const limit = query('limit', { type: 'integer', minimum: 1, maximum: 100 }, 'Rows of a page');
const pages = [after, limit] as const;

/** What a list may be asked for. */
export const queryParameters: { readonly [E in Endpoint]?: readonly Parameter[] } = {
  'files/list': [...pages, query('purpose', text, 'Only files of this purpose')],
  'batches/list': pages,
  'fine_tuning/jobs/list': pages,
  'fine_tuning/jobs/{id}/events': pages,
  'fine_tuning/jobs/{id}/checkpoints': pages,
  'responses/{id}': [query('stream', flag, 'Streams the rest of a background response')],
};
