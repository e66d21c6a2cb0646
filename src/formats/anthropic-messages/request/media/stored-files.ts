import { isPlain, type Plain } from '../../../../core/json/merge.ts';
import { cannotCarry } from '../../../shared/request/cannot-carry.ts';
import { textOf } from '../../../shared/json.ts';
import { typeOfPath } from '../../../shared/media/mime.ts';
import type { Block, Conversion } from '../conversion.ts';
import { filesBeta } from '../../files-beta.ts';

/**
 * Files of the service's own store, which are read with a feature of the API switched on (Anthropic API, "Files"): by the
 * kind of block that takes their type. Undefined for parts that name no such file.
 *
 * @throws GatewayError `unsupported_parameter` where the service has no store
 */
export function storedBlock(part: Plain, conversion: Conversion): Block | undefined {
  const block = nativeBlock(part) ?? imageBlock(part) ?? fileBlock(part);
  if (block === undefined) return undefined;
  if (conversion.form !== 'direct') {
    if (part['type'] === 'image_url') return undefined;
    throw cannotCarry(
      `messages[].content[].${String(part['type'])}`,
      'Files by id are not read by this service.',
      'Send the file as a data URI in file_data.',
    );
  }
  conversion.betas.add(filesBeta);
  return block;
}

/** The API's own blocks: a caller who knows them means them. */
function nativeBlock(part: Plain): Block | undefined {
  const { type, source } = part;
  if (type === 'container_upload') return part;
  return (type === 'image' || type === 'document') && isPlain(source) && source['type'] === 'file' ? part : undefined;
}

/** `image_url` whose address is the id of a stored file. */
function imageBlock({ type, image_url: image }: Plain): Block | undefined {
  const url = type === 'image_url' ? (isPlain(image) ? image['url'] : image) : undefined;
  return typeof url === 'string' && /^file_\w+$/.test(url) ? { type: 'image', source: { type: 'file', file_id: url } } : undefined;
}

/** `file` with `file_id`; the type is the client's word, or that of the name. Files that no block reads go to the code tool. */
function fileBlock(part: Plain): Block | undefined {
  const file = isPlain(part['file']) ? part['file'] : part;
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
