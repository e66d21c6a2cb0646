import type { Endpoint } from '../endpoint.ts';
import { isJsonObject } from '../json/merge.ts';

/** The places of object IDs in an endpoint's responses. */
export interface ObjectIdPaths {
  /** Paths to IDs; `*` matches each item of a list. */
  readonly ids: readonly string[];
  /** `data` is a list of objects of the whole account, each with these paths. */
  readonly isList?: true;
  /** Paths in stream events. */
  readonly events?: readonly string[];
  /** Numerous and short-lived objects, which are not recorded at all if the request has `store: false`. */
  readonly isBrief?: true;
}

const response: ObjectIdPaths = {
  ids: ['id', 'conversation.id', 'output.*.id', 'output.*.container_id'],
  events: ['response.id', 'response.conversation.id', 'item.id', 'item.container_id'],
  isBrief: true,
};
const file: ObjectIdPaths = { ids: ['id'] };
const batch: ObjectIdPaths = { ids: ['id', 'output_file_id', 'error_file_id'] };
const job: ObjectIdPaths = { ids: ['id', 'result_files.*'] };

/** Endpoints whose responses contain such IDs. */
export const objectIdPaths: { readonly [E in Endpoint]?: ObjectIdPaths } = {
  responses: response,
  'responses/compact': response,
  'responses/{id}': response,
  'responses/{id}/cancel': response,
  'responses/{id}/input_items': { ids: ['data.*.id'], isBrief: true },
  messages: { ids: ['container.id'], events: ['message.container.id', 'delta.container.id'], isBrief: true },
  files: file,
  'files/list': { ...file, isList: true },
  'files/{id}': file,
  batches: batch,
  'batches/list': { ...batch, isList: true },
  'batches/{id}': batch,
  'batches/{id}/cancel': batch,
  'fine_tuning/jobs': job,
  'fine_tuning/jobs/list': { ...job, isList: true },
  'fine_tuning/jobs/{id}': job,
  'fine_tuning/jobs/{id}/cancel': job,
};

/** Returns the strings at these paths of a parsed response. */
export function idsAt(value: unknown, paths: readonly string[]): string[] {
  return paths.flatMap((path) => textsAt(value, path.split('.')));
}

function textsAt(value: unknown, path: readonly string[]): string[] {
  const [key, ...rest] = path;
  if (key === undefined) return typeof value === 'string' && value !== '' ? [value] : [];
  if (key === '*') return Array.isArray(value) ? value.flatMap((each) => textsAt(each, rest)) : [];
  return isJsonObject(value) && Object.hasOwn(value, key) ? textsAt(value[key], rest) : [];
}
