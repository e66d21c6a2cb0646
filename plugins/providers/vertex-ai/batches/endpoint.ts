/** Endpoints that a batch may be of, as clients write them. */
export const batchEndpoints = ['/v1/chat/completions', '/v1/embeddings', '/v1/messages'] as const;

export type BatchEndpoint = (typeof batchEndpoints)[number];

/** Reads an endpoint with or without its `/v1`; undefined for one that batches don't serve. */
export function endpointOf(text: string): BatchEndpoint | undefined {
  const path = text.startsWith('/v1/') ? text : `/v1/${text.replace(/^\/+/, '')}`;
  return batchEndpoints.find((endpoint) => endpoint === path);
}

/** An endpoint as a word that fits into a label and a path, and back. */
export const wordOf = (endpoint: BatchEndpoint): string => endpoint.slice('/v1/'.length).replaceAll('/', '_');

export const endpointOfWord = (word: string | undefined): BatchEndpoint | undefined =>
  batchEndpoints.find((endpoint) => wordOf(endpoint) === word);
