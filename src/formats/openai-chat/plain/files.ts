import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Media, MediaNeed } from '../../../core/provider.ts';
import { objectsIn } from '../../shared/json.ts';
import { typeOfUrl } from '../../shared/media/mime.ts';

/** Maximum size of a file to download, in bytes: the limit of services of the chat format, which includes base64. */
const maxFileBytes = 22 * 1024 * 1024;

/** Lists the documents that a body in the common format refers to by URL. Services of the chat format accept files only by value. */
export function urlFiles(body: JsonObject): readonly MediaNeed[] {
  const parts = objectsIn(body['messages']).flatMap(({ content }) => objectsIn(content));
  const urls = parts.map(({ file }) => (isJsonObject(file) ? file['file_url'] : undefined)).filter((url) => typeof url === 'string');
  return [...new Set(urls)].map((url) => ({ url, maxBytes: maxFileBytes }));
}

/** Replaces URLs of documents in the body by the downloaded content. */
export function inlinedFiles(body: JsonObject, media: ReadonlyMap<string, Media>): JsonObject {
  if (media.size === 0) return body;
  const messages = objectsIn(body['messages']).map((message) =>
    Array.isArray(message['content'])
      ? { ...message, content: objectsIn(message['content']).map((part) => inlined(part, media)) }
      : message,
  );
  return { ...body, messages };
}

function inlined(part: JsonObject, media: ReadonlyMap<string, Media>): JsonObject {
  const { file } = part;
  const fetched = isJsonObject(file) ? media.get(String(file['file_url'])) : undefined;
  if (!isJsonObject(file) || fetched === undefined) return part;
  const { file_url: url, ...rest } = file;
  const type = isUnknownType(fetched.mimeType) ? (typeOfUrl(String(url)) ?? 'application/pdf') : fetched.mimeType;
  return { ...part, file: { ...rest, file_data: `data:${type};base64,${fetched.base64}` } };
}

const isUnknownType = (type: string): boolean => type === '' || type === 'application/octet-stream';
