import type { JsonObject } from '../../../core/json/merge.ts';
import { cacheOf } from '../../anthropic-messages/to-hub/cache.ts';
import { objectsIn, stringOf, textOf } from '../../shared/json.ts';
import type { Drops } from '../../shared/request/drops.ts';
import { unsupportedParameter } from '../../shared/request/parameter-errors.ts';

/**
 * Converts content of a message, or the output of a call: a text stays as it is, a list becomes parts of chat completions.
 *
 * @param at its path in the request, for errors
 * @throws GatewayError `unsupported_parameter` for parts of an unknown type
 */
export function chatContent(content: unknown, at: string, drops: Drops): string | readonly JsonObject[] {
  if (typeof content === 'string') return content;
  return objectsIn(content).map((part, index) => partOf(part, `${at}[${index}]`, drops));
}

const textMembers: ReadonlySet<string> = new Set(['type', 'text', 'logprobs', 'cache_control']);
const imageMembers: ReadonlySet<string> = new Set(['type', 'image_url', 'file_id', 'detail', 'cache_control']);
const fileMembers: ReadonlySet<string> = new Set(['type', 'file_data', 'file_id', 'file_url', 'filename', 'cache_control']);

function partOf(part: JsonObject, at: string, drops: Drops): JsonObject {
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'text':
      drops.addUnread(part, textMembers, 'input[].content[].');
      return { type: 'text', text: part['text'], ...cacheOf(part) };
    case 'input_image':
      drops.addUnread(part, imageMembers, 'input[].content[].input_image.');
      return { type: 'image_url', image_url: imageOf(part, at), ...cacheOf(part) };
    case 'input_file':
      drops.addUnread(part, fileMembers, 'input[].content[].input_file.');
      return { type: 'file', file: fileOf(part, at), ...cacheOf(part) };
    case 'input_audio':
      return { type: 'input_audio', input_audio: part['input_audio'] };
    case 'refusal':
      return { type: 'text', text: stringOf(part['refusal']) };
    default:
      throw unsupportedParameter(
        `${at}.type`,
        `Parts of type "${stringOf(part['type'])}" cannot be sent to this provider.`,
        'Content may be input_text, input_image, input_file or input_audio.',
      );
  }
}

/** @throws GatewayError `unsupported_parameter` for an image without an address */
function imageOf(part: JsonObject, at: string): JsonObject {
  const { detail } = part;
  const url = textOf(part['image_url']) ?? textOf(part['file_id']);
  if (url === undefined) throw unsupportedParameter(at, 'The part names no image.', 'Send "image_url" or "file_id".');
  return { url, ...(detail === undefined || detail === null || detail === 'auto' ? {} : { detail }) };
}

/** @throws GatewayError `unsupported_parameter` for a file without content */
function fileOf(part: JsonObject, at: string): JsonObject {
  const members = ['file_data', 'file_id', 'file_url'].filter((name) => textOf(part[name]) !== undefined);
  if (members.length === 0) throw unsupportedParameter(at, 'The part names no file.', 'Send "file_data", "file_url" or "file_id".');
  return Object.fromEntries(
    [...members, ...(textOf(part['filename']) === undefined ? [] : ['filename'])].map((name) => [name, part[name]]),
  );
}
