import { isJsonObject, type JsonObject } from '../../../../../../core/json/merge.ts';
import { type Block, errorIn, objectsIn, type Readable, textIn } from '../blocks.ts';

/** Reads responses of the messages API, whole or as events. */
export function readMessages(parts: readonly JsonObject[]): Readable | undefined {
  const whole = parts.find(({ type, content }) => type === 'message' && Array.isArray(content));
  if (whole !== undefined) return readableOf(objectsIn(whole['content']), whole['usage'], whole['stop_reason'], null);
  const start = parts.find(({ type }) => type === 'message_start');
  if (start === undefined) return undefined;
  const blocks = new Map<number, Record<string, unknown>>();
  let usage: JsonObject = isJsonObject(start['message']) && isJsonObject(start['message']['usage']) ? start['message']['usage'] : {};
  let finish: unknown = null;
  for (const part of parts) {
    const index = Number(part['index'] ?? 0);
    if (part['type'] === 'content_block_start' && isJsonObject(part['content_block'])) blocks.set(index, { ...part['content_block'] });
    if (part['type'] === 'content_block_delta' && isJsonObject(part['delta'])) addDelta(blocks.get(index), part['delta']);
    if (part['type'] !== 'message_delta') continue;
    if (isJsonObject(part['usage'])) usage = { ...usage, ...part['usage'] };
    if (isJsonObject(part['delta'])) finish = part['delta']['stop_reason'];
  }
  const error = parts.map(errorIn).find((found) => found !== null) ?? null;
  return readableOf([...blocks.values()], usage, finish, error);
}

function addDelta(block: Record<string, unknown> | undefined, delta: JsonObject): void {
  if (block === undefined) return;
  for (const member of ['text', 'thinking', 'partial_json']) {
    if (typeof delta[member] === 'string') block[member] = textIn(block[member]) + delta[member];
  }
}

function readableOf(content: readonly JsonObject[], usage: unknown, finish: unknown, error: string | null): Readable {
  const blocks = content.map(blockOf);
  return { messages: [{ role: 'assistant', blocks, finish: textIn(finish) || null }], usage: isJsonObject(usage) ? usage : null, error };
}

function blockOf(block: JsonObject): Block {
  const type = textIn(block['type']);
  if (type === 'text') return { kind: 'text', text: textIn(block['text']) };
  if (type === 'thinking') return { kind: 'thinking', text: textIn(block['thinking']) };
  if (type === 'redacted_thinking') return { kind: 'thinking', text: 'The provider encrypted this part.' };
  if (type === 'tool_use' || type === 'server_tool_use') {
    const args = textIn(block['partial_json']) || JSON.stringify(block['input'] ?? {});
    return { kind: 'call', name: textIn(block['name']), id: textIn(block['id']) || null, args };
  }
  return { kind: 'other', name: type, text: JSON.stringify(block) };
}
