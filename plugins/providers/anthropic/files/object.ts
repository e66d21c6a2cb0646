import { GatewayError } from '#core/error.ts';
import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import { parseObject, textOf } from '#formats/shared/json.ts';
import { listOf, unixSeconds } from '#formats/openai-objects/objects.ts';

/** Files of the service have no purpose. This is OpenAI's value for files that are for neither batches nor fine-tuning. */
const defaultPurpose = 'user_data';

/** Options for converting a file. */
export interface FileOptions {
  readonly purpose?: string | undefined;
  readonly strict: boolean;
}

/**
 * Converts a file of the files API to the OpenAI format.
 *
 * @throws GatewayError `upstream_invalid`
 */
export function toFile(value: unknown, { purpose, strict }: FileOptions) {
  const id = isJsonObject(value) ? textOf(value['id']) : undefined;
  if (!isJsonObject(value) || id === undefined) throw invalid('a file');
  const expires = unixSeconds(value['expires_at']);
  return {
    id,
    object: 'file',
    bytes: typeof value['size_bytes'] === 'number' ? value['size_bytes'] : 0,
    created_at: unixSeconds(value['created_at']) ?? 0,
    ...(expires === null ? {} : { expires_at: expires }),
    filename: textOf(value['filename']) ?? '',
    purpose: purpose ?? defaultPurpose,
    status: 'processed',
    ...(strict ? {} : { mime_type: value['mime_type'] ?? null, downloadable: value['downloadable'] ?? null }),
  };
}

/** Converts a page of files. @throws GatewayError `upstream_invalid` */
export function toFiles(text: string, view: FileOptions): JsonObject {
  const page = parseObject(text);
  if (!Array.isArray(page?.['data'])) throw invalid('a list of files');
  // Without the beta header, the list has a cursor instead of `has_more`.
  const hasMore = page['has_more'] === true || textOf(page['next_page']) !== undefined;
  return listOf(
    (page['data'] as unknown[]).map((one) => toFile(one, view)),
    hasMore,
  );
}

/** `{id, type: 'file_deleted'}` */
export function toDeleted(text: string, id: string): JsonObject {
  return { id: textOf(parseObject(text)?.['id']) ?? id, object: 'file', deleted: true };
}

const invalid = (what: string): GatewayError =>
  new GatewayError('upstream_invalid', { message: `The provider's response is not ${what}.`, source: 'provider' });
