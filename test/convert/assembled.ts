import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream';
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { ReadableStream } from 'node:stream/web';
import type { Json } from '../contract/gemini-oracle.ts';

/**
 * A stream as the `openai` npm library puts it together. It keeps the last delta of members that it does not know;
 * `content_blocks` and `reasoning_content` are merged here the way the PyPI library merges every delta.
 */
export async function assembled(chunks: readonly ChatCompletionChunk[]): Promise<Json> {
  const lines = chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join('');
  const bytes = new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(lines));
      controller.close();
    },
  });
  const stream = ChatCompletionStream.fromReadableStream(bytes as unknown as Parameters<typeof ChatCompletionStream.fromReadableStream>[0]);
  const completion = structuredClone(await stream.finalChatCompletion()) as unknown as Json;
  for (const choice of completion['choices'] as Json[]) {
    const message = choice['message'] as Json;
    const { blocks, reasoning } = mergedOf(chunks, choice['index'] as number);
    if (blocks.length > 0) message['content_blocks'] = blocks;
    if (reasoning !== undefined) message['reasoning_content'] = reasoning;
  }
  return completion;
}

function mergedOf(chunks: readonly ChatCompletionChunk[], choice: number): { blocks: Json[]; reasoning: unknown } {
  const snapshot: Json = {};
  for (const chunk of chunks) {
    for (const { index, delta } of chunk.choices) {
      if (index !== choice) continue;
      for (const key of ['content_blocks', 'reasoning_content'] as const) {
        const value = (delta as Json)[key];
        if (value !== undefined) accumulateDelta(snapshot, structuredClone({ [key]: value }));
      }
    }
  }
  const sparse = (snapshot['content_blocks'] ?? []) as { index: number; delta: Json }[];
  const blocks = [...sparse].sort((a, b) => a.index - b.index).map(({ delta }) => ({ type: typeOf(delta), ...delta }));
  return { blocks, reasoning: snapshot['reasoning_content'] };
}

/** The type of a block whose deltas have none follows from its member. */
function typeOf(block: Json): string {
  if (typeof block['thinking'] === 'string') return 'thinking';
  return typeof block['data'] === 'string' ? 'redacted_thinking' : 'text';
}

/** `accumulate_delta` of the PyPI library (openai/lib/streaming/_deltas.py), except that an index is not a position: tool calls leave gaps. */
function accumulateDelta(acc: Json, delta: Json): Json {
  for (const [key, value] of Object.entries(delta)) {
    const existing = acc[key];
    if (existing === undefined || existing === null || key === 'index' || key === 'type') acc[key] = value;
    else if (typeof existing === 'string' && typeof value === 'string') acc[key] = existing + value;
    else if (typeof existing === 'number' && typeof value === 'number') acc[key] = existing + value;
    else if (Array.isArray(existing) && Array.isArray(value)) accumulateList(existing as unknown[], value as unknown[]);
    else if (isObject(existing) && isObject(value)) acc[key] = accumulateDelta(existing, value);
  }
  return acc;
}

function accumulateList(existing: unknown[], entries: readonly unknown[]): void {
  if (existing.every((one) => typeof one === 'string' || typeof one === 'number')) {
    (existing as unknown[]).push(...entries);
    return;
  }
  for (const entry of entries) {
    if (!isObject(entry) || typeof entry['index'] !== 'number')
      throw new Error(`Expected list delta entry to have an index: ${JSON.stringify(entry)}`);
    const at = (existing as Json[]).findIndex((one) => one['index'] === entry['index']);
    if (at < 0) existing.push(entry);
    else existing[at] = accumulateDelta(existing[at] as Json, entry);
  }
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
