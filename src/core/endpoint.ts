/**
 * The operations of the `/v1` surface. The name is the path template behind `/v1/`; two of them stand for
 * everything that is not modelled: `relay` (any other path) and `realtime` (the WebSocket). `models/{id}` is relayed
 * too where the catalog doesn't know the model.
 */
export interface EndpointTraits {
  /** How the body is read: a JSON object held in memory, nothing, or bytes that only pass through. */
  readonly body: 'json' | 'none' | 'passing';
  /** Whose error shape the caller's library prints. */
  readonly dialect: 'openai' | 'messages';
  /** Stateful routes belong to one account (decisions D22): one creates an object, the other names one by id. */
  readonly state?: 'creates' | 'names';
}

export const endpoints = {
  'chat/completions': { body: 'json', dialect: 'openai' },
  completions: { body: 'json', dialect: 'openai' },
  embeddings: { body: 'json', dialect: 'openai' },
  'images/generations': { body: 'json', dialect: 'openai' },
  moderations: { body: 'json', dialect: 'openai' },
  responses: { body: 'json', dialect: 'openai' },
  'responses/input_tokens': { body: 'json', dialect: 'openai' },
  'responses/compact': { body: 'json', dialect: 'openai' },
  'responses/{id}': { body: 'none', dialect: 'openai', state: 'names' },
  'responses/{id}/cancel': { body: 'none', dialect: 'openai', state: 'names' },
  'responses/{id}/input_items': { body: 'none', dialect: 'openai', state: 'names' },
  messages: { body: 'json', dialect: 'messages' },
  'messages/count_tokens': { body: 'json', dialect: 'messages' },
  models: { body: 'none', dialect: 'openai' },
  'models/{id}': { body: 'passing', dialect: 'openai' },
  relay: { body: 'passing', dialect: 'openai' },
  realtime: { body: 'passing', dialect: 'openai' },
} as const satisfies Record<string, EndpointTraits>;

export type Endpoint = keyof typeof endpoints;

/** The dialect of a request: relayed routes below `/v1/messages` belong to that API (message batches). */
export function dialectOf(endpoint: Endpoint, path: string): EndpointTraits['dialect'] {
  return endpoint === 'relay' && path.startsWith('/v1/messages/') ? 'messages' : endpoints[endpoint].dialect;
}
