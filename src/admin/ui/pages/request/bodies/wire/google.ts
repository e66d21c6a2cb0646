import { isJsonObject, type JsonObject } from '../../../../../../core/json/merge.ts';
import { type Block, errorIn, imageOf, objectsIn, type Readable, textIn } from '../blocks.ts';

/** Reads responses of `generateContent`, whole or as a stream of the same objects. */
export function readGoogle(parts: readonly JsonObject[]): Readable | undefined {
  if (!parts.some(({ candidates }) => Array.isArray(candidates))) return undefined;
  const blocks: Block[] = [];
  let usage: JsonObject | null = null;
  let finish: string | null = null;
  for (const part of parts) {
    if (isJsonObject(part['usageMetadata'])) usage = part['usageMetadata'];
    for (const candidate of objectsIn(part['candidates'])) {
      finish = textIn(candidate['finishReason']) || finish;
      const content = isJsonObject(candidate['content']) ? objectsIn(candidate['content']['parts']) : [];
      for (const piece of content) join(blocks, blockOf(piece));
    }
  }
  return { messages: [{ role: 'assistant', blocks, finish }], usage, error: parts.map(errorIn).find((error) => error !== null) ?? null };
}

function blockOf(piece: JsonObject): Block {
  if (typeof piece['text'] === 'string') return { kind: piece['thought'] === true ? 'thinking' : 'text', text: piece['text'] };
  const { functionCall: call, inlineData: media } = piece;
  if (isJsonObject(call))
    return { kind: 'call', name: textIn(call['name']), id: textIn(call['id']) || null, args: JSON.stringify(call['args'] ?? {}) };
  if (isJsonObject(media)) return imageOf(`data:${textIn(media['mimeType'])};base64,${textIn(media['data'])}`);
  return { kind: 'other', name: Object.keys(piece)[0] ?? 'part', text: JSON.stringify(piece) };
}

/** Joins consecutive pieces of one text. */
function join(blocks: Block[], next: Block): void {
  const last = blocks.at(-1);
  if (last !== undefined && (last.kind === 'text' || last.kind === 'thinking') && next.kind === last.kind)
    blocks[blocks.length - 1] = { kind: last.kind, text: last.text + next.text };
  else blocks.push(next);
}
