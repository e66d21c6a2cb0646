import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { objectsIn } from '../shared/json.ts';

/**
 * Estimates the tokens of a request if the provider cannot count them: 0.25 per ASCII character, 0.8 per other character, and a
 * few per message and tool besides their text. On recorded requests to services of the chat format, half of the estimates are
 * between the real count and 25 % above it. Files are estimated by their size.
 */
export function estimatedTokens(chat: JsonObject): number {
  const tally = { ascii: 0, other: 0, files: 0 };
  const messages = objectsIn(chat['messages']);
  const tools = objectsIn(chat['tools']);
  for (const { content, tool_calls: calls } of messages) {
    contentOf(content, tally);
    for (const { function: fn } of objectsIn(calls)) addText(JSON.stringify(fn ?? ''), tally);
  }
  for (const tool of tools) addText(JSON.stringify(tool['function'] ?? tool), tally);
  return Math.ceil(tally.ascii / 4 + tally.other * 0.8) + tally.files + 4 * messages.length + 8 * tools.length + 3;
}

interface Tally {
  ascii: number;
  other: number;
  /** In tokens. */
  files: number;
}

const perImage = 1600;
/** In base64 characters: one or two pages. */
const perPage = 100_000;

function contentOf(content: unknown, tally: Tally): void {
  if (typeof content === 'string') addText(content, tally);
  for (const part of objectsIn(content)) {
    if (typeof part['text'] === 'string') addText(part['text'], tally);
    else if (isJsonObject(part['file']))
      tally.files += perImage * Math.ceil((String(part['file']['file_data'] ?? '').length + 1) / perPage);
    else tally.files += perImage;
  }
}

function addText(text: string, tally: Tally): void {
  let ascii = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) < 0x80) ascii += 1;
  tally.ascii += ascii;
  tally.other += text.length - ascii;
}
