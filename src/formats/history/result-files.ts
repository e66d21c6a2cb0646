import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { objectsIn } from '../shared/json.ts';

/** Types of parts that contain a file. */
export const fileTypes: ReadonlySet<unknown> = new Set(['image_url', 'file', 'input_audio']);

const isFile = ({ type }: JsonObject): boolean => fileTypes.has(type);

/**
 * Moves the files of tool results to the next message of the user, after a text that names the call: services that accept only
 * text in results read files of users. All results of a turn stay together. Other messages stay the same object.
 */
export function withFilesAfterResults(messages: readonly unknown[]): readonly unknown[] {
  const out: unknown[] = [];
  let files: JsonObject[] = [];
  const flush = (): void => {
    if (files.length > 0) out.push({ role: 'user', content: files });
    files = [];
  };
  for (const message of messages) {
    if (!isJsonObject(message)) out.push(message);
    else if (message['role'] === 'tool') {
      const parts = Array.isArray(message['content']) ? objectsIn(message['content']) : [];
      const found = parts.filter(isFile);
      out.push(found.length === 0 ? message : { ...message, content: textsOf(parts) });
      if (found.length > 0) files.push(textPart(`From the result of ${String(message['tool_call_id'])}:`), ...found);
    } else if (message['role'] === 'user' && files.length > 0) {
      out.push({ ...message, content: [...files, ...partsOf(message['content'])] });
      files = [];
    } else {
      flush();
      out.push(message);
    }
  }
  flush();
  return out;
}

const textPart = (text: string): JsonObject => ({ type: 'text', text });

/** The other parts of a result, which must not be empty. */
function textsOf(parts: readonly JsonObject[]): readonly JsonObject[] {
  const rest = parts.filter((part) => !isFile(part) && part['text'] !== '');
  return rest.length === 0 ? [textPart('The result is in the next message.')] : rest;
}

function partsOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content as unknown[];
  return typeof content === 'string' && content !== '' ? [textPart(content)] : [];
}
