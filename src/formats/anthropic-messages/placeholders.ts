import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { JsonBody } from '../../core/json/body.ts';
import type { Dropped } from '../../core/provider.ts';
import { isKept, keptMark } from '../history/kept-content.ts';
import { objectsIn } from '../shared/json.ts';
import { lacksThinking, missingThinkingReason } from './request/thinking.ts';

/**
 * The value the gateway writes where only the API could create the real one: the signature of thinking, or the index of a search
 * result. Clients send it back, and the API would reject it.
 */
export const unsignedPlaceholder = `${keptMark}unsigned`;

/** True for thinking or encrypted reasoning that another service produced. */
export const isForeignThought = ({ type, signature, data }: JsonObject): boolean =>
  (type === 'thinking' && isKept(signature)) || (type === 'redacted_thinking' && isKept(data));

/** Returns the citations that the API itself created. */
export function nativeCitations(citations: unknown): readonly unknown[] {
  return Array.isArray(citations) ? citations.filter((one) => !isJsonObject(one) || !isKept(one['encrypted_index'])) : [];
}

/**
 * Removes thinking and citations with such a placeholder from a client's messages request, and messages of the assistant without
 * content, which other services may send. Returns the same body if there are none, which takes a few searches of the text. If the
 * thinking of the last tool calls is missing because they are from another service, the API would reject the request with a
 * thinking budget, so the budget is removed too.
 */
export function withoutPlaceholders(body: JsonBody): JsonBody {
  const isMarked = body.mentions(`"${keptMark}`);
  const isForeign = isMarked || asksAboutForeignCalls(body);
  const messages = isForeign || emptyContents.some((text) => body.mentions(text)) ? body.exact('messages') : undefined;
  if (!Array.isArray(messages)) return body;
  const patch = new Map<string, unknown>();
  const kept = messages.flatMap((message: unknown): readonly unknown[] => (isJsonObject(message) ? cleaned(message) : [message]));
  if (isMarked || kept.length < messages.length) patch.set('messages', kept);
  if (isForeign && hasBudget(body) && lacksThinking(objectsIn(kept))) patch.set('thinking', undefined);
  return patch.size === 0 ? body : body.edit(patch);
}

/** As JavaScript and as Python write it. */
const emptyContents = ['"content":[]', '"content": []'] as const;

function hasBudget(body: JsonBody): boolean {
  const thinking = body.has('thinking') ? body.value('thinking') : undefined;
  return isJsonObject(thinking) && thinking['type'] === 'enabled';
}

/** True if the request has a thinking budget, and the last result is that of a call whose id is not one of the API's. */
function asksAboutForeignCalls(body: JsonBody): boolean {
  if (!hasBudget(body)) return false;
  const at = body.oneByte.lastIndexOf('"tool_use_id"');
  return at >= 0 && !ownId.test(body.oneByte.slice(at, at + 40));
}

/** Ids of calls, and of steps of the API's own tools. */
const ownId = /^"tool_use_id"\s*:\s*"(?:srv|mcp)?toolu_/;

/** Lists what `withoutPlaceholders` has dropped besides the placeholders. */
export const droppedWithPlaceholders = (given: JsonBody, body: JsonBody): readonly Dropped[] =>
  body !== given && given.has('thinking') && !body.has('thinking') ? thinkingDropped : none;

const thinkingDropped: readonly Dropped[] = Object.freeze([{ param: 'thinking', reason: missingThinkingReason }]);
const none: readonly Dropped[] = Object.freeze([]);

/** Returns no message if nothing is left of it, because the API rejects empty messages. */
function cleaned(message: JsonObject): readonly JsonObject[] {
  const { content } = message;
  if (message['role'] !== 'assistant' || !Array.isArray(content)) return [message];
  const kept = content.filter((block: unknown) => !isJsonObject(block) || !isForeignThought(block)).map(withoutForeignSources);
  return kept.length === 0 ? [] : [{ ...message, content: kept }];
}

function withoutForeignSources(block: unknown): unknown {
  if (!isJsonObject(block) || !Array.isArray(block['citations'])) return block;
  const { citations, ...rest } = block;
  const own = nativeCitations(citations);
  return own.length === 0 ? rest : { ...rest, citations: own };
}
