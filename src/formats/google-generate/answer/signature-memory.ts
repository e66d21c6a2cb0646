import type { EmptyBody, JsonBody } from '../../../core/json/body.ts';
import { isPlain, type Plain } from '../../../core/json/merge.ts';
import type { Note } from '../../../core/model/notes.ts';
import type { Call } from '../../../core/provider.ts';
import { CallIds } from './call-ids.ts';
import { hasSignature } from '../request/calls.ts';
import { piecesOf } from './pieces.ts';

const nothing: readonly never[] = Object.freeze([]);

/**
 * The chat of a body, its calls with the signatures again that are remembered: a call of the open turn that comes back
 * without its own is refused (Gemini API, thought signatures), and clients drop what they do not know.
 */
export function withRemembered(body: JsonBody | EmptyBody, { notes }: Pick<Call, 'notes'>): Plain {
  const chat = body.kind === 'json' ? body.json() : {};
  if (body.kind === 'none' || !body.mentions('"tool_calls"') || notes === undefined) return chat;
  const ids = unsignedCalls(chat);
  return ids.length === 0 ? chat : withSignatures(chat, notes.recall(ids));
}

function unsignedCalls(body: Plain): readonly string[] {
  const ids = new Set<string>();
  for (const call of listOf(body['messages']).flatMap((message) => listOf(message['tool_calls'])))
    if (typeof call['id'] === 'string' && !hasSignature(call)) ids.add(call['id']);
  return [...ids];
}

/** What is to be remembered of a whole answer. Ids are given out in the order in which its conversion gives them. */
export function signaturesIn(answer: unknown, requestId: string): readonly Note[] {
  const ids = new CallIds(requestId);
  const notes: Note[] = [];
  for (const [at, candidate] of listOf(isPlain(answer) ? answer['candidates'] : undefined).entries()) {
    const index = typeof candidate['index'] === 'number' ? candidate['index'] : at;
    for (const [place, piece] of piecesOf(candidate)
      .filter((one) => one.kind === 'call')
      .entries()) {
      const id = ids.next(piece.id, index, place);
      if (piece.signature !== undefined) notes.push({ id, text: piece.signature });
    }
  }
  return notes;
}

/** A chat body whose calls have their signatures again; the same body where none is known. */
function withSignatures(body: Plain, known: ReadonlyMap<string, string>): Plain {
  if (known.size === 0) return body;
  const messages = listOf(body['messages']).map((message) => {
    const calls = message['tool_calls'];
    return Array.isArray(calls)
      ? { ...message, tool_calls: calls.map((call: unknown) => (isPlain(call) ? signed(call, known) : call)) }
      : message;
  });
  return { ...body, messages };
}

function signed(call: Plain, known: ReadonlyMap<string, string>): Plain {
  const signature = typeof call['id'] === 'string' && !hasSignature(call) ? known.get(call['id']) : undefined;
  return signature === undefined ? call : { ...call, thought_signature: signature };
}

const listOf = (value: unknown): readonly Plain[] => (Array.isArray(value) ? value.filter(isPlain) : nothing);
