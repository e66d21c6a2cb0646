import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { parseDataUri } from '../shared/media/data-uri.ts';
import { storedUri } from '../shared/media/stored-uri.ts';
import type { Drops } from '../shared/request/drops.ts';
import { unsupportedParameter } from '../shared/request/parameter-errors.ts';
import type { FileRules } from './request/conversion.ts';
import { checkFileReferences } from './request/file-references.ts';
import { stringOf } from '../shared/json.ts';

/**
 * Converts `{text?, image?, video?}` of an embeddings request. A file is `{base64}`, `{url}` with a data URI or a `gs://` address,
 * or has the service's own members.
 *
 * @param param the path of the input in the body, for error messages
 * @throws GatewayError for files that the service cannot read or the request may not use
 */
export function multimodalInput(input: JsonObject, param: string, drops: Drops, files: FileRules | undefined): JsonObject {
  const converted: Record<string, unknown> = { ...input };
  for (const name of ['image', 'video'] as const) {
    const file = input[name];
    if (isJsonObject(file)) converted[name] = fileOf(file, name, `${param}.${name}`, drops);
  }
  if (files !== undefined) checkFileReferences(converted, param, files);
  return converted;
}

/** The members that may contain the file, in the order in which they are used. */
const sources = ['base64', 'url', 'gcsUri', 'gcs_uri'] as const;

/** Returns a file in the service's format, with its bytes or its address in one member. */
function fileOf(file: JsonObject, kind: 'image' | 'video', param: string, drops: Drops): JsonObject {
  const { base64, url, gcsUri, gcs_uri, ...others } = file;
  const [used, ...unused] = sources.filter((name) => (file[name] ?? undefined) !== undefined);
  for (const name of unused) drops.add(`input[].${kind}.${name}`, `${used} is used`);
  if (used === undefined) return others;
  if (used === 'base64') return { ...others, bytesBase64Encoded: base64 };
  if (used === 'url') return { ...others, ...fileAt(url, kind, `${param}.url`) };
  const uri = gcsUri ?? gcs_uri;
  return { ...others, gcsUri: typeof uri === 'string' ? storedUri(uri) : uri };
}

/** Converts `url`. @throws GatewayError if it is neither a data URI nor an address of object storage */
function fileAt(url: unknown, kind: 'image' | 'video', param: string): JsonObject {
  const text = stringOf(url);
  const data = parseDataUri(text);
  if (data !== undefined) return { bytesBase64Encoded: data.base64, ...(kind === 'image' ? { mimeType: data.mimeType } : {}) };
  const uri = storedUri(text);
  if (uri.startsWith('gs://')) return { gcsUri: uri };
  throw unsupportedParameter(
    param,
    'The service cannot read this file: it accepts bytes and gs:// addresses.',
    'Send a data URI or gs://….',
  );
}
