import type { Json } from '../contract/gemini-oracle.ts';
import type { Content } from '../client-formats/content.ts';

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const objectOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

/** What a response says, with the stop reasons of the messages API, to compare it with other formats. */
export function contentOfResponse(response: Json): Content {
  const items = list(response['output']);
  const parts = items.filter(({ type }) => type === 'message').flatMap((item) => list(item['content']));
  const text = parts.map((part) => String(part['text'] ?? part['refusal'])).join('');
  const calls = items
    .filter(({ type }) => type === 'function_call')
    .map((call) => ({ name: call['name'], input: JSON.parse(String(call['arguments'])) as unknown }));
  const usage = objectOf(response['usage']);
  const cause = objectOf(response['incomplete_details'])['reason'];
  const isRefused = cause === 'content_filter' || parts.some(({ type }) => type === 'refusal');
  return {
    text: text.trim() === '' ? '' : text,
    thinking: items
      .filter(({ type }) => type === 'reasoning')
      .flatMap((item) => list(item['summary']))
      .map((part) => String(part['text']))
      .join(''),
    calls,
    stop: cause === 'max_output_tokens' ? 'max_tokens' : isRefused ? 'refusal' : calls.length > 0 ? 'tool_use' : 'end_turn',
    usage: {
      prompt: Number(usage['input_tokens'] ?? 0),
      cached: Number(objectOf(usage['input_tokens_details'])['cached_tokens'] ?? 0),
      completion: Number(usage['output_tokens'] ?? 0),
      reasoning: Number(objectOf(usage['output_tokens_details'])['reasoning_tokens'] ?? 0),
    },
  };
}

/** The events of a stream, in order. */
export const eventsOf = (text: string): readonly Json[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => JSON.parse(line.slice(5)) as Json);

/** The members into which the deltas of an event type are joined. */
const joined: Readonly<Record<string, (item: Json, event: Json) => [object: Json, member: string]>> = {
  'response.output_text.delta': (item, event) => [partAt(item, 'content', event['content_index']), 'text'],
  'response.refusal.delta': (item, event) => [partAt(item, 'content', event['content_index']), 'refusal'],
  'response.reasoning_summary_text.delta': (item, event) => [partAt(item, 'summary', event['summary_index']), 'text'],
  'response.function_call_arguments.delta': (item) => [item, 'arguments'],
  'response.custom_tool_call_input.delta': (item) => [item, 'input'],
};

function partAt(item: Json, member: string, index: unknown): Json {
  const part = list(item[member])[Number(index)];
  if (part === undefined) throw new Error(`${member}[${String(index)}] was not added`);
  return part;
}

/**
 * Joins a stream as clients do, and returns what is wrong with it: numbers with gaps, deltas without an item, items that differ from
 * what their deltas add up to, and items that stay open.
 */
export function problemsOf(text: string): readonly string[] {
  const problems: string[] = [];
  const items: Json[] = [];
  const done = new Set<unknown>();
  const events = eventsOf(text);
  for (const [at, event] of events.entries()) {
    const { type, sequence_number: number, output_index: index } = event;
    if (number !== at) problems.push(`event ${at} has the number ${String(number)}`);
    const item = items[Number(index)];
    if (type === 'response.output_item.added') {
      if (index !== items.length) problems.push(`item ${String(index)} begins as number ${items.length}`);
      items.push(structuredClone(objectOf(event['item'])));
    } else if (index !== undefined && (item === undefined || item['id'] !== (event['item_id'] ?? objectOf(event['item'])['id'])))
      problems.push(`${String(type)} of an unknown item`);
    else if (item !== undefined) join(item, event, problems);
    if (type === 'response.output_item.done') done.add(index);
  }
  if (done.size !== items.length) problems.push(`${items.length - done.size} items stay open`);
  const last = events.at(-1) ?? {};
  const output = list(objectOf(last['response'])['output']);
  if (output.length !== items.length) problems.push(`${items.length} items in the stream, ${output.length} in its response`);
  const [first, second] = events.map(({ type }) => type);
  if (`${String(first)} ${String(second)}` !== 'response.created response.in_progress') problems.push('no beginning');
  if (!/^response\.(?:completed|incomplete)$/.test(String(last['type']))) problems.push(`the last event is ${String(last['type'])}`);
  return problems;
}

function join(item: Json, event: Json, problems: string[]): void {
  const type = String(event['type']);
  const [object, member] = joined[type]?.(item, event) ?? [];
  if (object !== undefined && member !== undefined) {
    object[member] = String(object[member] ?? '') + String(event['delta']);
    list(object['logprobs']).push(...list(event['logprobs']));
  } else if (type === 'response.content_part.added') list(item['content']).push(structuredClone(objectOf(event['part'])));
  else if (type === 'response.reasoning_summary_part.added') list(item['summary']).push(structuredClone(objectOf(event['part'])));
  else if (type === 'response.output_text.annotation.added')
    list(partAt(item, 'content', event['content_index'])['annotations']).push(objectOf(event['annotation']));
  else if (type === 'response.output_item.done') {
    const { encrypted_content: _late, status: _status, ...whole } = objectOf(event['item']);
    const { encrypted_content: _none, status: _open, ...heard } = item;
    const isSame = whole['type'] === 'image_generation_call' || whole['type'] === 'web_search_call' || same(whole, heard);
    if (!isSame) problems.push(`item ${String(whole['id'])} is not what its deltas say`);
  }
}

/** Members may have another order. */
const same = (a: Json, b: Json): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, one]) => [key, sorted(one)]),
        )
      : value;
