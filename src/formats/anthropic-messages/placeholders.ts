import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { JsonBody } from '../../core/json/body.ts';
import type { Dropped } from '../../core/provider.ts';
import { objectsIn } from '../shared/json.ts';
import { lacksThinking, missingThinkingReason } from './request/thinking.ts';

/**
 * The value the gateway writes where only the API could create the real one: the signature of thinking, or the index of a search
 * result. Clients send it back, and the API would reject it.
 */
export const unsignedPlaceholder = 'gateway:unsigned';

const isPlaceholder = (value: unknown): boolean => typeof value === 'string' && value.startsWith('gateway:');

/** True for thinking or encrypted reasoning that another service produced. */
export const isForeignThought = ({ type, signature, data }: JsonObject): boolean =>
  (type === 'thinking' && isPlaceholder(signature)) || (type === 'redacted_thinking' && isPlaceholder(data));

/** Returns the citations that the API itself created. */
export function nativeCitations(citations: unknown): readonly unknown[] {
  return Array.isArray(citations) ? citations.filter((one) => !isJsonObject(one) || !isPlaceholder(one['encrypted_index'])) : [];
}

/**
 * Removes thinking and citations with such a placeholder from a client's messages request. Returns the same body if there are none,
 * which takes one search of the text. If the thinking of the last tool calls is from another service, the API would reject the
 * request with a thinking budget, so the budget is removed too.
 */
export function withoutPlaceholders(body: JsonBody): JsonBody {
  const messages = body.mentions('"gateway:') ? body.exact('messages') : undefined;
  if (!Array.isArray(messages)) return body;
  const kept = messages.flatMap((message: unknown): readonly unknown[] => (isJsonObject(message) ? cleaned(message) : [message]));
  const patch = new Map<string, unknown>([['messages', kept]]);
  const thinking = body.value('thinking');
  if (isJsonObject(thinking) && thinking['type'] === 'enabled' && lacksThinking(objectsIn(kept))) patch.set('thinking', undefined);
  return body.edit(patch);
}

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
  return kept.length === 0 && content.length > 0 ? [] : [{ ...message, content: kept }];
}

function withoutForeignSources(block: unknown): unknown {
  if (!isJsonObject(block) || !Array.isArray(block['citations'])) return block;
  const { citations, ...rest } = block;
  const own = nativeCitations(citations);
  return own.length === 0 ? rest : { ...rest, citations: own };
}
