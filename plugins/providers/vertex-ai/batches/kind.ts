import type { Call } from '#core/provider.ts';
import { folderOf, type StoredObject } from '../files/object-id.ts';
import { batchesPrefix } from '../files/storage.ts';
import { percentDecoded } from '#core/http/query.ts';

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

/** What a batch was about, as far as its output needs it: rows don't say. */
export interface OutputKind {
  readonly endpoint: BatchEndpoint;
  /** Under the gateway's name. */
  readonly model: string;
}

/** Folder of a batch's output. Endpoint and model are in it, so that the file can be read without the job. */
export const outputPrefix = ({ endpoint, model }: OutputKind, call: Pick<Call, 'createdAt' | 'id'>): string =>
  `${batchesPrefix}${folderOf(call)}/${wordOf(endpoint)}/${encodeURIComponent(model)}/`;

/** Reads such a folder again; undefined for every other object. */
export function outputOf({ name }: Pick<StoredObject, 'name'>): OutputKind | undefined {
  if (!name.startsWith(batchesPrefix) || !name.endsWith('.jsonl')) return undefined;
  const [, word, model = ''] = name.slice(batchesPrefix.length).split('/');
  const endpoint = endpointOfWord(word);
  return endpoint === undefined ? undefined : { endpoint, model: percentDecoded(model) };
}

/** Name of the file in the folder that the service made. */
export const outputFile = (model: string): string => (isOlderEmbedding(model) ? '000000000000.jsonl' : 'predictions.jsonl');

/** Vectors that come from `:predict`. */
const isOlderEmbedding = (model: string): boolean => /embedding/.test(model) && !/gemini-embedding-(?:[2-9]|[1-9]\d)(?!\d)/.test(model);
