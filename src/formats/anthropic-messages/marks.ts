import { isPlain, type Plain } from '../../core/json/merge.ts';
import type { JsonBody } from '../../core/json/body.ts';

/**
 * What the gateway writes where the API's own answers have something that only the API can make: a thought without a
 * signature, a source without the index of a search. Clients send it back, and the API itself would refuse it.
 */
export const unsigned = 'gateway:unsigned';

const isMark = (value: unknown): boolean => typeof value === 'string' && value.startsWith('gateway:');

/** A thought that another service had, or a text cited from one. */
export const isForeignThought = (block: Plain): boolean => block['type'] === 'thinking' && isMark(block['signature']);

/** The sources of a text that the API itself gave out. */
export function ownCitations(citations: unknown): readonly unknown[] {
  return Array.isArray(citations) ? citations.filter((one) => !isPlain(one) || !isMark(one['encrypted_index'])) : [];
}

/** A client's own messages request without them. The same body where there are none: one search of the text. */
export function withoutMarks(body: JsonBody): JsonBody {
  const messages = body.mentions('"gateway:') ? body.exact('messages') : undefined;
  if (!Array.isArray(messages)) return body;
  return body.edit(new Map([['messages', messages.map((message: unknown) => (isPlain(message) ? cleaned(message) : message))]]));
}

function cleaned(message: Plain): Plain {
  const { content } = message;
  if (message['role'] !== 'assistant' || !Array.isArray(content)) return message;
  const kept = content.filter((block: unknown) => !isPlain(block) || !isForeignThought(block)).map(withoutForeignSources);
  return { ...message, content: kept };
}

function withoutForeignSources(block: unknown): unknown {
  if (!isPlain(block) || !Array.isArray(block['citations'])) return block;
  const { citations, ...rest } = block;
  const own = ownCitations(citations);
  return own.length === 0 ? rest : { ...rest, citations: own };
}
