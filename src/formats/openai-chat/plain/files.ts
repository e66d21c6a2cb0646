import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Media, MediaNeed } from '../../../core/provider.ts';
import { objectsIn } from '../../shared/json.ts';
import { typeByBytes } from '../../shared/media/data-uri.ts';
import { extensionOf, fileName, typeOfPath } from '../../shared/media/mime.ts';

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
  const path = fileName(String(url));
  const [bare = ''] = fetched.mimeType.split(';', 1);
  const type = isUnknownType(bare) ? (typeOfPath(path) ?? typeByBytes(fetched.base64) ?? 'application/pdf') : bare;
  const name = typeOfPath(path) === type ? { filename: path } : {};
  return { ...part, file: { ...name, ...rest, file_data: `data:${type};base64,${fetched.base64}` } };
}

const isUnknownType = (type: string): boolean => type === '' || type === 'application/octet-stream';

/** Adds a file name, which services require with the bytes and by whose extension some of them recognize the type. */
export function withFileName(file: JsonObject): JsonObject {
  const { file_data: data, filename } = file;
  if (data === undefined || filename !== undefined) return file;
  const type = typeof data === 'string' ? /^data:([^;,]*)/.exec(data)?.[1] : undefined;
  return { filename: `document.${type === undefined ? 'pdf' : extensionOf(type)}`, ...file };
}
