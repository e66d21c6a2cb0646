import type { JsonBody } from '../../../core/json/body.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { someMessage } from '../../history/some-message.ts';
import type { ChatQuirk } from './quirk.ts';

/** Changes the form of messages; nothing is lost. */
export function convertMessages(body: JsonBody, patch: Map<string, unknown>, { roles = {}, prefill, joinsTexts }: ChatQuirk): void {
  for (const [from, to] of Object.entries(roles)) renameRole(body, patch, from, to);
  if (joinsTexts === true && body.mentions('"text"')) editMessages(body, patch, withJoinedText);
  if (prefill !== undefined && endsWithAssistant(body))
    editMessages(body, patch, (one, isLast) =>
      isLast && one['role'] === 'assistant' && !Array.isArray(one['tool_calls']) && one[prefill] === undefined
        ? { ...one, [prefill]: true }
        : one,
    );
}

function renameRole(body: JsonBody, patch: Map<string, unknown>, from: string, to: string): void {
  if (someMessage(body, (role) => role === from)) editMessages(body, patch, (one) => (one['role'] === from ? { ...one, role: to } : one));
}

/** True if the assistant wrote the last message. */
function endsWithAssistant(body: JsonBody): boolean {
  let last = '';
  const isUnread = someMessage(body, (role) => {
    last = role;
    return false;
  });
  return isUnread || last === 'assistant';
}

type EditMessage = (message: JsonObject, isLast: boolean) => JsonObject;

function editMessages(body: JsonBody, patch: Map<string, unknown>, edit: EditMessage): void {
  const messages: unknown = patch.get('messages') ?? body.exact('messages');
  if (!Array.isArray(messages)) return;
  const edited = messages.map((one: unknown, at) => (isJsonObject(one) ? edit(one, at === messages.length - 1) : one));
  if (edited.some((one, at) => one !== messages[at])) patch.set('messages', edited);
}

/** Joins content that consists only of texts. */
function withJoinedText(message: JsonObject): JsonObject {
  const { content } = message;
  if (!Array.isArray(content) || content.length === 0) return message;
  const texts = content.map((part: unknown) => (isJsonObject(part) && part['type'] === 'text' ? part['text'] : undefined));
  return texts.every((text) => typeof text === 'string') ? { ...message, content: texts.join('\n\n') } : message;
}
