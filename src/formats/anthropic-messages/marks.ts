import { isPlain, type Plain } from '../../core/json/merge.ts';
import type { JsonBody } from '../../core/json/body.ts';
import type { Dropped } from '../../core/provider.ts';
import { objectsIn } from '../shared/json.ts';
import { lacksThoughts, lostThoughts } from './request/thinking.ts';

/**
 * The value the gateway writes where only the API could create the real one: the signature of thinking, or the index of a search
 * result. Clients send it back, and the API would reject it.
 */
export const unsigned = 'gateway:unsigned';

const isMark = (value: unknown): boolean => typeof value === 'string' && value.startsWith('gateway:');

/** True for thinking or encrypted reasoning that another service produced. */
export const isForeignThought = ({ type, signature, data }: Plain): boolean =>
  (type === 'thinking' && isMark(signature)) || (type === 'redacted_thinking' && isMark(data));

/** Returns the citations that the API itself created. */
export function ownCitations(citations: unknown): readonly unknown[] {
  return Array.isArray(citations) ? citations.filter((one) => !isPlain(one) || !isMark(one['encrypted_index'])) : [];
}

/**
 * Removes thinking and citations with such a mark from a client's messages request. Returns the same body if there are none,
 * which takes one search of the text. If the thinking of the last tool calls is from another service, the API would reject the
 * request with a thinking budget, so the budget is removed too.
 */
export function withoutMarks(body: JsonBody): JsonBody {
  const messages = body.mentions('"gateway:') ? body.exact('messages') : undefined;
  if (!Array.isArray(messages)) return body;
  const kept = messages.flatMap((message: unknown): readonly unknown[] => (isPlain(message) ? cleaned(message) : [message]));
  const patch = new Map<string, unknown>([['messages', kept]]);
  const thinking = body.value('thinking');
  if (isPlain(thinking) && thinking['type'] === 'enabled' && lacksThoughts(objectsIn(kept))) patch.set('thinking', undefined);
  return body.edit(patch);
}

/** Lists what `withoutMarks` has dropped besides the marks. */
export const droppedWithMarks = (given: JsonBody, body: JsonBody): readonly Dropped[] =>
  body !== given && given.has('thinking') && !body.has('thinking') ? thinkingDropped : none;

const thinkingDropped: readonly Dropped[] = Object.freeze([{ param: 'thinking', reason: lostThoughts }]);
const none: readonly Dropped[] = Object.freeze([]);

/** Returns no message if nothing is left of it, because the API rejects empty messages. */
function cleaned(message: Plain): readonly Plain[] {
  const { content } = message;
  if (message['role'] !== 'assistant' || !Array.isArray(content)) return [message];
  const kept = content.filter((block: unknown) => !isPlain(block) || !isForeignThought(block)).map(withoutForeignSources);
  return kept.length === 0 && content.length > 0 ? [] : [{ ...message, content: kept }];
}

function withoutForeignSources(block: unknown): unknown {
  if (!isPlain(block) || !Array.isArray(block['citations'])) return block;
  const { citations, ...rest } = block;
  const own = ownCitations(citations);
  return own.length === 0 ? rest : { ...rest, citations: own };
}
