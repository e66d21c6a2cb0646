import type { HeaderBag } from './http/headers.ts';

/** One route of an endpoint: a method, and a path after `/v1/` in which `{id}` matches one segment. */
export type Route = readonly [method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string];

export type DialectName = 'openai' | 'messages' | 'responses';

/**
 * The operations of the `/v1` API, in one table for the router, the docs and the API description. Two of them cover
 * everything that has no row: `relay` (any other path) and `realtime` (the WebSocket). `models/{id}` is also relayed if
 * the catalog does not have the model.
 */
export interface EndpointTraits {
  readonly routes: readonly Route[];
  /**
   * How the body is read: a JSON object in memory, no body, a multipart form (or the equivalent JSON object), or bytes
   * that are forwarded.
   */
  readonly body: 'json' | 'none' | 'form' | 'passing';
  /** Format of responses and errors. `callers`: both APIs have this route, and the headers show which one the client uses. */
  readonly dialect: DialectName | 'callers';
  /** Stateful routes belong to one account: they create an object, or refer to one by ID, or list objects. */
  readonly state?: 'creates' | 'names';
  /** The object in the path was created by a model, so a request for it counts as a request to that model. */
  readonly objectOfModel?: true;
  /** Requires a virtual key, or a header or config that selects exactly one provider. */
  readonly account?: true;
  /** The body's `model` is a base model of deployments, not a deployment: no deployment is looked up by it. */
  readonly baseModel?: true;
  /** The body has no model field that every provider supports: a header may name the model. */
  readonly modelByHeader?: true;
  /** The `{id}` of the path is the model. It may contain slashes, and not every client encodes them. */
  readonly modelInPath?: true;
  /** The request uploads or the response downloads a file of any size. Its timeouts count bytes. */
  readonly file?: 'up' | 'down';
  /** One-line description for the docs. */
  readonly about: string;
}

/** A JSON body, with responses in the format of OpenAI's API. */
const json = { body: 'json', dialect: 'openai' } as const;
/** The same with a multipart form. */
const form = { body: 'form', dialect: 'openai' } as const;
/** Relayed, with a model in the path. */
const model = { body: 'passing', dialect: 'callers', modelInPath: true } as const;
/** Refers to an object by ID, or lists objects. */
const named = { body: 'none', dialect: 'openai', state: 'names' } as const;
/** The same for a stored response. */
const ofResponse = { ...named, objectOfModel: true } as const;
/** The same for objects that belong to one account. */
const ofAccount = { ...named, account: true } as const;

export const endpoints = {
  'chat/completions': { routes: [['POST', 'chat/completions']], ...json, about: 'Chat completion, streamed or not' },
  completions: { routes: [['POST', 'completions']], ...json, about: 'Legacy text completion' },
  embeddings: { routes: [['POST', 'embeddings']], ...json, about: 'Embeddings of texts' },
  'images/embeddings': { routes: [['POST', 'images/embeddings']], ...json, about: 'Embeddings of images' },
  'images/generations': { routes: [['POST', 'images/generations']], ...json, about: 'Images from a prompt' },
  'images/edits': { routes: [['POST', 'images/edits']], ...form, about: 'Images from images and a prompt' },
  'images/variations': { routes: [['POST', 'images/variations']], ...form, about: 'Variations of an image' },
  'audio/speech': { routes: [['POST', 'audio/speech']], ...json, about: 'Speech from text' },
  'audio/transcriptions': { routes: [['POST', 'audio/transcriptions']], ...form, about: 'Text from speech' },
  'audio/translations': { routes: [['POST', 'audio/translations']], ...form, about: 'English text from speech' },
  moderations: { routes: [['POST', 'moderations']], ...json, about: 'Classification of content' },
  responses: { routes: [['POST', 'responses']], ...json, dialect: 'responses', about: 'Creates a response, streamed or not' },
  'responses/input_tokens': { routes: [['POST', 'responses/input_tokens']], ...json, about: 'Counts the input tokens of a response' },
  'responses/compact': { routes: [['POST', 'responses/compact']], ...json, about: 'Compacts a conversation' },
  'responses/{id}': {
    routes: [
      ['GET', 'responses/{id}'],
      ['DELETE', 'responses/{id}'],
    ],
    ...ofResponse,
    dialect: 'responses',
    about: 'Returns or deletes a stored response',
  },
  'responses/{id}/cancel': { routes: [['POST', 'responses/{id}/cancel']], ...ofResponse, about: 'Cancels a background response' },
  'responses/{id}/input_items': {
    routes: [['GET', 'responses/{id}/input_items']],
    ...ofResponse,
    about: 'Input items of a stored response',
  },
  messages: { routes: [['POST', 'messages']], body: 'json', dialect: 'messages', about: 'Creates a message, streamed or not' },
  'messages/count_tokens': {
    routes: [['POST', 'messages/count_tokens']],
    body: 'json',
    dialect: 'messages',
    about: 'Counts the tokens of messages',
  },
  models: { routes: [['GET', 'models']], body: 'none', dialect: 'callers', about: 'Models that the caller may use' },
  'models/{id}': { routes: [['GET', 'models/{id}']], ...model, about: 'Returns one model' },
  'models/{id}/delete': { routes: [['DELETE', 'models/{id}']], ...model, about: 'Deletes a fine-tuned model' },
  files: { routes: [['POST', 'files']], ...form, state: 'creates', modelByHeader: true, file: 'up', about: 'Uploads a file' },
  'files/list': { routes: [['GET', 'files']], ...named, about: 'Lists files' },
  'files/{id}': { routes: [['GET', 'files/{id}']], ...named, about: 'Returns metadata of a file' },
  'files/{id}/content': { routes: [['GET', 'files/{id}/content']], ...named, file: 'down', about: 'Returns the content of a file' },
  'files/{id}/delete': { routes: [['DELETE', 'files/{id}']], ...named, about: 'Deletes a file' },
  batches: { routes: [['POST', 'batches']], ...json, state: 'creates', modelByHeader: true, account: true, about: 'Starts a batch' },
  'batches/list': { routes: [['GET', 'batches']], ...ofAccount, about: 'Lists batches' },
  'batches/{id}': { routes: [['GET', 'batches/{id}']], ...ofAccount, about: 'Returns the state of a batch' },
  'batches/{id}/cancel': { routes: [['POST', 'batches/{id}/cancel']], ...ofAccount, about: 'Cancels a batch' },
  'batches/{id}/output': {
    routes: [['GET', 'batches/{id}/output']],
    ...ofAccount,
    file: 'down',
    about: 'Output of a batch, one JSON object per line',
  },
  'fine_tuning/jobs': {
    routes: [['POST', 'fine_tuning/jobs']],
    ...json,
    state: 'creates',
    baseModel: true,
    account: true,
    about: 'Starts a fine-tuning job',
  },
  'fine_tuning/jobs/list': { routes: [['GET', 'fine_tuning/jobs']], ...ofAccount, about: 'Lists fine-tuning jobs' },
  'fine_tuning/jobs/{id}': { routes: [['GET', 'fine_tuning/jobs/{id}']], ...ofAccount, about: 'Returns the state of a fine-tuning job' },
  'fine_tuning/jobs/{id}/cancel': { routes: [['POST', 'fine_tuning/jobs/{id}/cancel']], ...ofAccount, about: 'Cancels a fine-tuning job' },
  'fine_tuning/jobs/{id}/events': {
    routes: [['GET', 'fine_tuning/jobs/{id}/events']],
    ...ofAccount,
    about: 'Lists the events of a fine-tuning job',
  },
  'fine_tuning/jobs/{id}/checkpoints': {
    routes: [['GET', 'fine_tuning/jobs/{id}/checkpoints']],
    ...ofAccount,
    about: 'Lists the checkpoints of a fine-tuning job',
  },
  'prompts/{id}/completions': { routes: [['POST', 'prompts/{id}/completions']], ...json, about: 'Runs a stored prompt, streamed or not' },
  'prompts/{id}/render': { routes: [['POST', 'prompts/{id}/render']], ...json, about: 'Renders a stored prompt without running it' },
  feedback: { routes: [['POST', 'feedback']], ...json, about: 'Feedback on a response, by its trace' },
  'feedback/{id}': { routes: [['PUT', 'feedback/{id}']], ...json, about: 'Changes a feedback' },
  relay: { routes: [], body: 'passing', dialect: 'openai', about: 'Any other path, passed through to the provider' },
  realtime: { routes: [['GET', 'realtime']], body: 'passing', dialect: 'openai', about: 'Realtime WebSocket' },
} as const satisfies Record<string, EndpointTraits>;

export type Endpoint = keyof typeof endpoints;

/** Returns the traits of an endpoint, typed with all optional members. */
export const traitsOf = (endpoint: Endpoint): EndpointTraits => endpoints[endpoint];

/** The members of a request's head that decide its dialect. */
interface DialectFacts {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly headers: HeaderBag;
}

/** Returns the dialect of a request: relayed routes below `/v1/messages` belong to that API (message batches). */
export function dialectOf({ endpoint, path, headers }: DialectFacts): DialectName {
  if (endpoint === 'relay') return path.startsWith('/v1/messages/') ? 'messages' : 'openai';
  const { dialect } = endpoints[endpoint];
  if (dialect !== 'callers') return dialect;
  const isMessages =
    headers.get('anthropic-version') !== undefined ||
    (headers.get('x-api-key') !== undefined && headers.get('authorization') === undefined);
  return isMessages ? 'messages' : 'openai';
}

/**
 * True if HEAD is handled like GET without the body (RFC 9110 9.3.2), including providers with converted routes. For
 * file downloads HEAD is forwarded as is, because the file would be downloaded for nothing.
 */
export const servesHead = (endpoint: Endpoint): boolean => traitsOf(endpoint).file !== 'down' && endpoint !== 'realtime';

/** Returns the methods of a path that includes `/v1/`; empty for a path without a row. */
export function methodsOf(path: string): readonly string[] {
  const segments = path.split('/').slice(2);
  const fits = (template: string): boolean => {
    const parts = template.split('/');
    return parts.length === segments.length && parts.every((part, index) => part === '{id}' || part === segments[index]);
  };
  return (Object.entries(endpoints) as [Endpoint, EndpointTraits][]).flatMap(([endpoint, { routes }]) =>
    routes.flatMap(([method, template]) => {
      if (!fits(template)) return [];
      return method === 'GET' && servesHead(endpoint) ? [method, 'HEAD'] : [method];
    }),
  );
}

/** All paths in the table, to suggest corrections for a mistyped path. */
export const knownPaths: readonly string[] = [
  ...new Set((Object.values(endpoints) as EndpointTraits[]).flatMap(({ routes }) => routes.map(([, path]) => `/v1/${path}`))),
];
