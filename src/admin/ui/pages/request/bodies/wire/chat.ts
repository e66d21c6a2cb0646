import { isJsonObject, type JsonObject } from '../../../../../../core/json/merge.ts';
import { type Block, errorIn, imageOf, type Message, objectsIn, type Readable, textIn } from '../blocks.ts';

interface Choice {
  role: string;
  text: string;
  thinking: string;
  refusal: string;
  readonly calls: Map<number, { name: string; id: string; args: string }>;
  readonly more: Block[];
  finish: string | null;
}

/** Reads chat completions and completions, whole or as chunks. */
export function readChat(parts: readonly JsonObject[]): Readable | undefined {
  if (!parts.some(({ choices }) => Array.isArray(choices))) return undefined;
  const choices = new Map<number, Choice>();
  let usage: JsonObject | null = null;
  for (const part of parts) {
    if (isJsonObject(part['usage'])) usage = part['usage'];
    for (const choice of objectsIn(part['choices'])) add(choiceAt(choices, Number(choice['index'] ?? 0)), choice);
  }
  const messages = [...choices].toSorted(([a], [b]) => a - b).map(([, choice]) => messageOf(choice));
  return { messages, usage, error: parts.map(errorIn).find((error) => error !== null) ?? null };
}

function choiceAt(choices: Map<number, Choice>, index: number): Choice {
  const found = choices.get(index) ?? { role: 'assistant', text: '', thinking: '', refusal: '', calls: new Map(), more: [], finish: null };
  choices.set(index, found);
  return found;
}

function add(choice: Choice, part: JsonObject): void {
  choice.finish = textIn(part['finish_reason']) || choice.finish;
  choice.text += textIn(part['text']);
  const message = isJsonObject(part['delta']) ? part['delta'] : part['message'];
  if (!isJsonObject(message)) return;
  choice.role = textIn(message['role']) || choice.role;
  choice.thinking += textIn(message['reasoning_content']) || textIn(message['reasoning']);
  choice.refusal += textIn(message['refusal']);
  choice.text += textIn(message['content']);
  for (const piece of objectsIn(message['content'])) addPiece(choice, piece);
  for (const image of objectsIn(message['images']))
    if (isJsonObject(image['image_url'])) choice.more.push(imageOf(textIn(image['image_url']['url'])));
  for (const [i, call] of objectsIn(message['tool_calls']).entries()) addCall(choice, call, Number(call['index'] ?? i));
}

function addPiece(choice: Choice, piece: JsonObject): void {
  if (piece['type'] === 'text') choice.text += textIn(piece['text']);
  else if (piece['type'] === 'thinking') choice.thinking += textIn(piece['thinking']);
  else if (isJsonObject(piece['image_url'])) choice.more.push(imageOf(textIn(piece['image_url']['url'])));
  else choice.more.push({ kind: 'other', name: textIn(piece['type']), text: JSON.stringify(piece) });
}

function addCall(choice: Choice, call: JsonObject, index: number): void {
  const found = choice.calls.get(index) ?? { name: '', id: '', args: '' };
  const target = isJsonObject(call['function']) ? call['function'] : {};
  found.id = textIn(call['id']) || found.id;
  found.name = textIn(target['name']) || found.name;
  found.args += textIn(target['arguments']);
  choice.calls.set(index, found);
}

function messageOf({ role, text, thinking, refusal, calls, more, finish }: Choice): Message {
  const blocks: Block[] = [];
  if (thinking !== '') blocks.push({ kind: 'thinking', text: thinking });
  if (text !== '') blocks.push({ kind: 'text', text });
  if (refusal !== '') blocks.push({ kind: 'refusal', text: refusal });
  for (const { name, id, args } of calls.values()) blocks.push({ kind: 'call', name, id: id === '' ? null : id, args });
  return { role, blocks: [...blocks, ...more], finish };
}
