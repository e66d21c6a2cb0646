import type { EmptyBody, JsonBody } from '../../../core/json/body.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Call } from '../../../core/provider.ts';
import { objectsIn } from '../../shared/json.ts';
import { hasSignature } from '../request/tools/calls.ts';

/**
 * Returns the chat of a body with remembered signatures restored in its calls. The service rejects a call of the current turn
 * without its signature (Gemini API, thought signatures), and clients drop unknown members.
 */
export function withStoredSignatures(body: JsonBody | EmptyBody, { notes }: Pick<Call, 'notes'>): JsonObject {
  const chat = body.kind === 'json' ? body.json() : {};
  if (body.kind === 'none' || !body.mentions('"tool_calls"') || notes === undefined) return chat;
  const ids = unsignedCalls(chat);
  return ids.length === 0 ? chat : withSignatures(chat, notes.recall(ids));
}

function unsignedCalls(body: JsonObject): readonly string[] {
  const ids = new Set<string>();
  for (const call of objectsIn(body['messages']).flatMap((message) => objectsIn(message['tool_calls'])))
    if (typeof call['id'] === 'string' && !hasSignature(call)) ids.add(call['id']);
  return [...ids];
}

/** Adds the known signatures to calls. Returns the same body if none is known. */
function withSignatures(body: JsonObject, known: ReadonlyMap<string, string>): JsonObject {
  if (known.size === 0) return body;
  const messages = objectsIn(body['messages']).map((message) => {
    const calls = message['tool_calls'];
    return Array.isArray(calls)
      ? { ...message, tool_calls: calls.map((call: unknown) => (isJsonObject(call) ? signed(call, known) : call)) }
      : message;
  });
  return { ...body, messages };
}

function signed(call: JsonObject, known: ReadonlyMap<string, string>): JsonObject {
  const signature = typeof call['id'] === 'string' && !hasSignature(call) ? known.get(call['id']) : undefined;
  return signature === undefined ? call : { ...call, thought_signature: signature };
}
