import type { Call } from '#core/provider.ts';
import { folderOf, type StoredObject } from '../files/object-id.ts';
import { batchesPrefix } from '../files/storage.ts';
import { percentDecoded } from '#core/http/query.ts';

/** Endpoints that batches support, as clients write them. */
export const batchEndpoints = ['/v1/chat/completions', '/v1/embeddings', '/v1/messages'] as const;

export type BatchEndpoint = (typeof batchEndpoints)[number];

/** Parses an endpoint with or without `/v1`; undefined if batches don't support it. */
export function endpointOf(text: string): BatchEndpoint | undefined {
  const path = text.startsWith('/v1/') ? text : `/v1/${text.replace(/^\/+/, '')}`;
  return batchEndpoints.find((endpoint) => endpoint === path);
}

/** Converts an endpoint to a word for labels and paths, and back. */
export const endpointToken = (endpoint: BatchEndpoint): string => endpoint.slice('/v1/'.length).replaceAll('/', '_');

export const endpointOfToken = (token: string | undefined): BatchEndpoint | undefined =>
  batchEndpoints.find((endpoint) => endpointToken(endpoint) === token);

/** Endpoint and model of a batch, which the conversion of its output needs: the rows don't contain them. */
export interface OutputKind {
  readonly endpoint: BatchEndpoint;
  /** The gateway's name of the model. */
  readonly model: string;
}

/** Folder of a batch's output. It contains endpoint and model, so that the file can be read without the job. */
export const outputPrefix = ({ endpoint, model }: OutputKind, call: Pick<Call, 'createdAt' | 'id'>): string =>
  `${batchesPrefix}${folderOf(call)}/${endpointToken(endpoint)}/${encodeURIComponent(model)}/`;

/** Parses such a folder; undefined for any other object. */
export function outputOf({ name }: Pick<StoredObject, 'name'>): OutputKind | undefined {
  if (!name.startsWith(batchesPrefix) || !name.endsWith('.jsonl')) return undefined;
  const [, token, model = ''] = name.slice(batchesPrefix.length).split('/');
  const endpoint = endpointOfToken(token);
  return endpoint === undefined ? undefined : { endpoint, model: percentDecoded(model) };
}

/** Name of the file in the output folder that the service created. */
export const outputFile = (model: string): string => (isOlderEmbedding(model) ? '000000000000.jsonl' : 'predictions.jsonl');

/** True for embedding models that use `:predict`. */
const isOlderEmbedding = (model: string): boolean => /embedding/.test(model) && !/gemini-embedding-(?:[2-9]|[1-9]\d)(?!\d)/.test(model);
