import { isPlain, type Plain } from '#core/json/merge.ts';
import { parseObject, textOf } from '#formats/shared/json.ts';
import { unixSeconds } from '#formats/openai-objects/objects.ts';
import { fileIdOf, type StoredObject } from './object-id.ts';
import { batchesPrefix } from './storage.ts';

/** What the gateway notes beside an object: object storage has no such fields of its own. */
export interface FileNotes {
  readonly purpose?: string | undefined;
  /** Of a batch: the model and endpoint of its lines, which a batch needs to be started. */
  readonly model?: string | undefined;
  readonly endpoint?: string | undefined;
}

/** A file as clients know it. */
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

/** What is known of a stored object; undefined where the row names none. */
export function fileOf(row: Plain, fallback?: { readonly object: StoredObject; readonly createdAt: number }): FileObject | undefined {
  const bucket = textOf(row['bucket']) ?? fallback?.object.bucket;
  const name = textOf(row['name']) ?? fallback?.object.name;
  if (bucket === undefined || name === undefined) return undefined;
  return {
    id: fileIdOf({ bucket, name }),
    object: 'file',
    // A number of 64 bits travels as text.
    bytes: Number(row['size'] ?? 0),
    created_at: unixSeconds(row['timeCreated']) ?? fallback?.createdAt ?? 0,
    filename: name.slice(name.lastIndexOf('/') + 1),
    purpose: notesOf(row).purpose ?? guessed(name),
    status: 'processed',
  };
}

/** The notes of an object, as its answer holds them. */
export function notesOf(row: Plain): FileNotes {
  const notes = isPlain(row['metadata']) ? row['metadata'] : {};
  return { purpose: textOf(notes['purpose']), model: textOf(notes['model']), endpoint: textOf(notes['endpoint']) };
}

/** A stored object's own JSON. */
export const rowOf = (text: string): Plain => parseObject(text) ?? {};

/** Objects that were put there by others have no purpose: clients must get one of those they know. */
const guessed = (name: string): string =>
  name.startsWith(batchesPrefix) || /(?:^|\/)prediction-[^/]*\/[^/]*\.jsonl$/.test(name) ? 'batch_output' : 'user_data';
