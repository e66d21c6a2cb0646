import { isJsonObject, type JsonObject } from '../../../../../../core/json/merge.ts';
import { type Block, errorIn, imageOf, objectsIn, type Readable, textIn } from '../blocks.ts';

/** Reads responses of the responses API, whole or as events. The last event of a complete stream contains the whole response. */
export function readResponses(parts: readonly JsonObject[]): Readable | undefined {
  const last = parts.findLast(
    ({ type, response }) => /^response\.(completed|incomplete|failed)$/.test(textIn(type)) && isJsonObject(response),
  );
  const whole = last === undefined ? parts.find(({ output, object }) => Array.isArray(output) && object === 'response') : last['response'];
  if (isJsonObject(whole)) {
    const blocks = objectsIn(whole['output']).flatMap(blocksOf);
    const usage = isJsonObject(whole['usage']) ? whole['usage'] : null;
    return { messages: [{ role: 'assistant', blocks, finish: textIn(whole['status']) || null }], usage, error: errorIn(whole) };
  }
  if (!parts.some(({ type }) => textIn(type).startsWith('response.'))) return undefined;
  return {
    messages: [{ role: 'assistant', blocks: blocksFrom(parts), finish: null }],
    usage: null,
    error: parts.map(errorIn).find((error) => error !== null) ?? null,
  };
}

function blocksOf(item: JsonObject): readonly Block[] {
  const type = textIn(item['type']);
  if (type === 'message') return objectsIn(item['content']).map(pieceOf);
  if (type === 'reasoning') {
    const text = [...objectsIn(item['summary']), ...objectsIn(item['content'])].map((piece) => textIn(piece['text'])).join('\n\n');
    return [{ kind: 'thinking', text: text === '' ? 'Not shown by the provider.' : text }];
  }
  if (type === 'function_call')
    return [{ kind: 'call', name: textIn(item['name']), id: textIn(item['call_id']) || null, args: textIn(item['arguments']) }];
  if (type === 'image_generation_call') return [imageOf(`data:image/png;base64,${textIn(item['result'])}`)];
  return [{ kind: 'other', name: type, text: JSON.stringify(item) }];
}

function pieceOf(piece: JsonObject): Block {
  if (piece['type'] === 'output_text') return { kind: 'text', text: textIn(piece['text']) };
  if (piece['type'] === 'refusal') return { kind: 'refusal', text: textIn(piece['refusal']) };
  return { kind: 'other', name: textIn(piece['type']), text: JSON.stringify(piece) };
}

/** For a broken stream: the content received so far. */
function blocksFrom(parts: readonly JsonObject[]): readonly Block[] {
  const items = new Map<string, { kind: 'text' | 'thinking' | 'call'; name: string; text: string }>();
  for (const part of parts) {
    const type = textIn(part['type']);
    const id = textIn(part['item_id']);
    if (type === 'response.output_item.added' && isJsonObject(part['item']) && part['item']['type'] === 'function_call')
      items.set(textIn(part['item']['id']), { kind: 'call', name: textIn(part['item']['name']), text: '' });
    const kind = type.includes('reasoning') ? 'thinking' : type.includes('function_call') ? 'call' : 'text';
    if (!type.endsWith('.delta') || typeof part['delta'] !== 'string') continue;
    const found = items.get(id) ?? { kind, name: '', text: '' };
    found.text += part['delta'];
    items.set(id, found);
  }
  return [...items].map(([id, { kind, name, text }]) => (kind === 'call' ? { kind, name, id, args: text } : { kind, text }));
}
