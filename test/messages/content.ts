import { MessageStream } from '@anthropic-ai/sdk/lib/MessageStream';
import type { Content } from '../client-formats/content.ts';
import type { Json } from '../contract/gemini-oracle.ts';

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const num = (value: unknown): number => (typeof value === 'number' ? value : 0);
const objectOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

/** Of a message of Anthropic's API. Text that the gateway's marks are in says nothing. */
export function contentOfMessage(message: Json): Content {
  const blocks = list(message['content']);
  const usage = objectOf(message['usage']);
  const cached = num(usage['cache_read_input_tokens']);
  return {
    text: blocks.map((block) => (block['type'] === 'text' ? String(block['text']) : '')).join(''),
    thinking: blocks.map((block) => (block['type'] === 'thinking' ? String(block['thinking']) : '')).join(''),
    calls: blocks.filter(({ type }) => type === 'tool_use').map(({ name, input }) => ({ name, input })),
    stop: message['stop_reason'],
    usage: {
      prompt: num(usage['input_tokens']) + cached + num(usage['cache_creation_input_tokens']),
      cached,
      completion: num(usage['output_tokens']),
      reasoning: num(objectOf(usage['output_tokens_details'])['thinking_tokens']),
    },
  };
}

/** The data of the events of a text, in order. */
const eventsOf = (text: string): Json[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => JSON.parse(line.slice(5)) as Json);

/** A stream as Anthropic's npm library puts it together. */
export async function byLibrary(text: string): Promise<Json> {
  const bytes = eventsOf(text).map((event) => new TextEncoder().encode(`${JSON.stringify(event)}\n`));
  const stream = new ReadableStream({
    start(controller) {
      for (const one of bytes) controller.enqueue(one);
      controller.close();
    },
  });
  return JSON.parse(JSON.stringify(await MessageStream.fromReadableStream(stream).finalMessage())) as Json;
}

/** What is wrong with the order of events: blocks come one after the other, and everything is closed. */
export function orderProblems(text: string): readonly string[] {
  const problems: string[] = [];
  let open: number | undefined;
  let next = 0;
  const types = eventsOf(text).map((event) => {
    const { type, index } = event;
    if (type === 'content_block_start') {
      if (open !== undefined || index !== next)
        problems.push(`block ${String(index)} begins while ${String(open)} is open, ${next} is next`);
      open = index as number;
      next += 1;
    } else if (type === 'content_block_delta' && index !== open) problems.push(`a delta of ${String(index)} while ${String(open)} is open`);
    else if (type === 'content_block_stop') {
      if (index !== open) problems.push(`block ${String(index)} ends while ${String(open)} is open`);
      open = undefined;
    }
    return String(type);
  });
  if (open !== undefined) problems.push(`block ${open} stays open`);
  const around = types.filter((type) => !type.startsWith('content_block'));
  if (around.join() !== 'message_start,ping,message_delta,message_stop') problems.push(`events ${around.join()}`);
  return problems;
}
