import type { JsonObject } from '#core/json/merge.ts';
import { objectOf, parseObject, textOf } from '#formats/shared/json.ts';
import { unixSeconds } from '#formats/openai-objects/objects.ts';
import { fileIdOf, type StoredObject } from './object-id.ts';
import { batchesPrefix } from './storage.ts';

/** Metadata that the gateway stores with an object, because object storage has no such fields. */
export interface FileNotes {
  readonly purpose?: string | undefined;
  /** For a batch: model and endpoint of its lines, which are needed to start the batch. */
  readonly model?: string | undefined;
  readonly endpoint?: string | undefined;
}

/** A file in the client's format. */
export interface FileObject {
  readonly id: string;
  readonly object: 'file';
  readonly bytes: number;
  /** Unix seconds. */
  readonly created_at: number;
  readonly filename: string;
  readonly purpose: string;
  readonly status: 'processed';
}

/** Converts a stored object to a file; undefined if the row has no name. */
export function fileOf(row: JsonObject, fallback?: { readonly object: StoredObject; readonly createdAt: number }): FileObject | undefined {
  const bucket = textOf(row['bucket']) ?? fallback?.object.bucket;
  const name = textOf(row['name']) ?? fallback?.object.name;
  if (bucket === undefined || name === undefined) return undefined;
  return {
    id: fileIdOf({ bucket, name }),
    object: 'file',
    // 64-bit numbers are strings in JSON.
    bytes: Number(row['size'] ?? 0),
    created_at: unixSeconds(row['timeCreated']) ?? fallback?.createdAt ?? 0,
    filename: name.slice(name.lastIndexOf('/') + 1),
    purpose: notesOf(row).purpose ?? guessPurpose(name),
    status: 'processed',
  };
}

/** Returns the notes of an object, from its metadata. */
export function notesOf(row: JsonObject): FileNotes {
  const notes = objectOf(row['metadata']);
  return { purpose: textOf(notes['purpose']), model: textOf(notes['model']), endpoint: textOf(notes['endpoint']) };
}

/** Parses the JSON of a stored object. */
export const parseRow = (text: string): JsonObject => parseObject(text) ?? {};

/** Objects that the gateway did not upload have no purpose, but clients need a known one, so it is derived from the name. */
const guessPurpose = (name: string): string =>
  name.startsWith(batchesPrefix) || /(?:^|\/)prediction-[^/]*\/[^/]*\.jsonl$/.test(name) ? 'batch_output' : 'user_data';
