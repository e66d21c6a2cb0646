import { MessageStream } from '@anthropic-ai/sdk/lib/MessageStream';
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream';

export type Json = Record<string, unknown>;

/** An assistant message as one kind of client stores it. */
export interface Assembled {
  readonly by: string;
  readonly message: Json;
}

/** The chunks of a chat stream as text of server-sent events. */
function chunksOf(body: string): readonly Json[] {
  return body
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith('data:') && !line.includes('[DONE]'))
    .map((line) => JSON.parse(line.slice(5)) as Json)
    .filter((chunk) => Array.isArray(chunk['choices']));
}

/** The messages that several kinds of clients assemble from the same stream. */
export async function assembled(body: string): Promise<readonly Assembled[]> {
  const chunks = chunksOf(body);
  const deltas = chunks.flatMap((chunk) => (chunk['choices'] as Json[]).filter((one) => one['index'] === 0 || one['index'] === undefined));
  if (deltas.length === 0) return [];
  const list = deltas.map((one) => one['delta'] as Json | undefined).filter((one) => one !== undefined && one !== null);
  const out: Assembled[] = [
    { by: 'merged by index', message: list.reduce<Json>((all, one) => merge(all, one, true), { role: 'assistant' }) },
    { by: 'lists appended', message: list.reduce<Json>((all, one) => merge(all, one, false), { role: 'assistant' }) },
  ];
  const library = await byLibrary(chunks);
  return library === undefined ? out : [...out, { by: 'openai npm', message: library }];
}

/** OpenAI's SDK; undefined for streams that it rejects, such as truncated ones and those without a role. */
async function byLibrary(chunks: readonly Json[]): Promise<Json | undefined> {
  const stream = ChatCompletionStream.fromReadableStream(lines(chunks));
  try {
    const completion = await stream.finalChatCompletion();
    return JSON.parse(JSON.stringify(completion.choices[0]?.message)) as Json;
  } catch {
    return undefined;
  }
}

/** Anthropic's SDK: the content blocks of a message of its own API. */
export async function byAnthropic(body: string): Promise<Json> {
  const events = body
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => JSON.parse(line.slice(5)) as Json);
  const message = await MessageStream.fromReadableStream(lines(events)).finalMessage();
  return { role: 'assistant', content: JSON.parse(JSON.stringify(message.content)) as unknown };
}

function lines(values: readonly Json[]): ReadableStream {
  const bytes = values.map((value) => new TextEncoder().encode(`${JSON.stringify(value)}\n`));
  return new ReadableStream({
    start(controller) {
      for (const one of bytes) controller.enqueue(one);
      controller.close();
    },
  });
}

/** LangChain's merge: strings are concatenated, objects merged, lists joined by `index` or else appended. */
function merge(left: Json, right: Json, byIndex: boolean): Json {
  const out: Json = { ...left };
  for (const [key, value] of Object.entries(right)) out[key] = merged(out[key], value, key, byIndex);
  return out;
}

function merged(left: unknown, right: unknown, key: string, byIndex: boolean): unknown {
  if (left === undefined || left === null) return right;
  if (right === undefined || right === null) return left;
  if (typeof left === 'string' && typeof right === 'string') return ['role', 'type', 'id'].includes(key) ? right : left + right;
  if (Array.isArray(left) && Array.isArray(right))
    return key === 'tool_calls' || byIndex ? joined(left as Json[], right as Json[]) : [...left, ...right];
  if (isObject(left) && isObject(right)) return merge(left, right, byIndex);
  return right;
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

function joined(left: readonly Json[], right: readonly Json[]): Json[] {
  const out = [...left];
  for (const one of right) {
    const at = isObject(one) && typeof one['index'] === 'number' ? out.findIndex((existing) => existing['index'] === one['index']) : -1;
    if (at < 0) out.push(one);
    else out[at] = merge(out[at] ?? {}, one, true);
  }
  return out;
}
