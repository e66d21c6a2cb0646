import type { Call } from '#core/provider.ts';
import type { StoredObject } from '../files/object-id.ts';
import { folderOf } from '../files/object-name.ts';
import { batchesPrefix } from '../files/storage.ts';
import { type BatchEndpoint, endpointOfWord, wordOf } from './endpoint.ts';

/** What a batch was about, as far as its output needs it: rows don't say. */
export interface OutputKind {
  readonly endpoint: BatchEndpoint;
  /** Under the gateway's name. */
  readonly model: string;
}

/** Folder of a batch's output. Endpoint and model stand in it, so that the file can be read without the job. */
export const outputPrefix = ({ endpoint, model }: OutputKind, call: Pick<Call, 'createdAt' | 'id'>): string =>
  `${batchesPrefix}${folderOf(call)}/${wordOf(endpoint)}/${encodeURIComponent(model)}/`;

/** Reads such a folder again; undefined for every other object. */
export function outputOf({ name }: Pick<StoredObject, 'name'>): OutputKind | undefined {
  if (!name.startsWith(batchesPrefix) || !name.endsWith('.jsonl')) return undefined;
  const [, word, model = ''] = name.slice(batchesPrefix.length).split('/');
  const endpoint = endpointOfWord(word);
  return endpoint === undefined ? undefined : { endpoint, model: decoded(model) };
}

/** Name of the file in the folder that the service made. */
export const outputFile = (model: string): string => (isOlderEmbedding(model) ? '000000000000.jsonl' : 'predictions.jsonl');

/** Vectors that come from `:predict`. */
const isOlderEmbedding = (model: string): boolean => /embedding/.test(model) && !/gemini-embedding-(?:[2-9]|[1-9]\d)(?!\d)/.test(model);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
