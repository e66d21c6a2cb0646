import { isJsonObject, type JsonObject } from '../../../../core/json/merge.ts';
import { unsupportedParameter } from '../../../shared/request/parameter-errors.ts';
import { stringOf, textOf } from '../../../shared/json.ts';
import { typeOfPath } from '../../../shared/media/mime.ts';
import type { Block, MessagesConversion } from '../conversion.ts';
import { filesBeta } from '../../files-beta.ts';

/**
 * Converts references to files in the service's own storage, which requires a beta feature of the API (Anthropic API, "Files"),
 * to the kind of block that accepts their type. Undefined for parts without such a reference.
 *
 * @throws GatewayError `unsupported_parameter` if the service has no storage
 */
export function storedBlock(part: JsonObject, conversion: MessagesConversion): Block | undefined {
  const block = nativeBlock(part) ?? imageBlock(part) ?? fileBlock(part);
  if (block === undefined) return undefined;
  if (conversion.surface !== 'direct') {
    if (part['type'] === 'image_url') return undefined;
    throw unsupportedParameter(
      `messages[].content[].${stringOf(part['type'])}`,
      'Files by id are not read by this service.',
      'Send the file as a data URI in file_data.',
    );
  }
  conversion.betas.add(filesBeta);
  return block;
}

/** The API's own blocks are passed unchanged. */
function nativeBlock(part: JsonObject): Block | undefined {
  const { type, source } = part;
  if (type === 'container_upload') return part;
  return (type === 'image' || type === 'document') && isJsonObject(source) && source['type'] === 'file' ? part : undefined;
}

/** Converts an `image_url` whose URL is the id of a stored file. */
function imageBlock({ type, image_url: image }: JsonObject): Block | undefined {
  const url = type === 'image_url' ? (isJsonObject(image) ? image['url'] : image) : undefined;
  return typeof url === 'string' && /^file_\w+$/.test(url) ? { type: 'image', source: { type: 'file', file_id: url } } : undefined;
}

/**
 * Converts a `file` with `file_id`. Its media type is given by the client or by the file name. Types that no block accepts are
 * passed to the code execution tool.
 */
function fileBlock(part: JsonObject): Block | undefined {
  const file = isJsonObject(part['file']) ? part['file'] : part;
  const id = part['type'] === 'file' ? textOf(file['file_id']) : undefined;
  if (id === undefined) return undefined;
  const name = textOf(file['filename']);
  const type = textOf(file['mime_type']) ?? textOf(file['format']) ?? (name === undefined ? undefined : typeOfPath(name));
  const source = { type: 'file', file_id: id };
  if (type?.startsWith('image/') === true) return { type: 'image', source };
  if (type === undefined || type === 'application/pdf' || type === 'text/plain') {
    return { type: 'document', source, ...(name === undefined ? {} : { title: name }) };
  }
  return { type: 'container_upload', file_id: id };
}
