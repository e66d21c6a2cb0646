import type { Plain } from '#core/json/merge.ts';
import { answerTo, argumentsOf, type Content, lastUserText, piecesOf, type Question, tokensIn } from './answer.ts';
import { Refusal } from './rules.ts';

/** The responses API of the mock, as one response or a stream. Nothing is stored. */
export function responses(asked: Question): Content {
  const done = response(asked, 'completed');
  if (!asked.call.stream) return { json: done };
  const begun = response(asked, 'in_progress');
  const opened = item(asked, 'in_progress');
  const events: readonly Plain[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    { type: 'response.output_item.added', output_index: 0, item: opened },
    ...itemEvents(asked, { item_id: opened['id'], output_index: 0 }),
    { type: 'response.output_item.done', output_index: 0, item: item(asked, 'completed') },
    { type: 'response.completed', response: done },
  ];
  return { events: events.map((event, sequence_number) => ({ sequence_number, ...event })) };
}

/** `POST /responses/input_tokens`: the number of input tokens. */
export const inputTokens = (asked: Question): Content => ({
  json: { object: 'response.input_tokens', input_tokens: tokensIn(inputText(asked)) },
});

/** Compacts a conversation: the last user message, and a placeholder for the rest. */
export function compacted(asked: Question): Content {
  const { id, createdAt } = asked.call;
  const text = inputText(asked);
  const kept = { type: 'message', id: `msg_${id}`, role: 'user', status: 'completed', content: [{ type: 'input_text', text }] };
  const rest = { type: 'compaction', id: `cmp_${id}`, encrypted_content: Buffer.from('mock').toString('base64') };
  const shared = { id: `resp_${id}`, object: 'response.compaction', created_at: createdAt };
  return { json: { ...shared, output: [kept, rest], usage: usageOf(text, text) } };
}

/** Responses are not stored, so none is ever found. */
export function noResponse({ call }: Question): never {
  throw new Refusal(null, 'id', `Response with id '${call.params['id'] ?? ''}' not found.`, 404);
}

type Status = 'completed' | 'in_progress';

function response(asked: Question, status: Status): Plain {
  const { body, call } = asked;
  const isDone = status === 'completed';
  return {
    id: `resp_${call.id}`,
    object: 'response',
    created_at: call.createdAt,
    status,
    model: call.model,
    error: null,
    incomplete_details: null,
    instructions: body['instructions'] ?? null,
    metadata: body['metadata'] ?? {},
    output: isDone ? [item(asked, status)] : [],
    parallel_tool_calls: true,
    previous_response_id: null,
    store: false,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: isDone ? usageOf(inputText(asked), answerTo(asked, inputText(asked))) : null,
  };
}

function usageOf(said: string, answered: string): Plain {
  const [input, output] = [tokensIn(said), tokensIn(answered)];
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

function item(asked: Question, status: Status): Plain {
  const { call, reply } = asked;
  const isDone = status === 'completed';
  if (reply.tool_call === undefined) {
    const content = isDone ? [part(answerTo(asked, inputText(asked)))] : [];
    return { id: `msg_${call.id}`, type: 'message', role: 'assistant', status, content };
  }
  const ids = { id: `fc_${call.id}`, type: 'function_call', call_id: `call_${call.id}` };
  return { ...ids, name: reply.tool_call.name, arguments: isDone ? argumentsOf(reply) : '', status };
}

const part = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });

/** Events of an item: its arguments, or its text. */
function itemEvents(asked: Question, at: Plain): readonly Plain[] {
  const { reply } = asked;
  if (reply.tool_call !== undefined) {
    const args = argumentsOf(reply);
    return [
      ...piecesOf(args, reply).map((delta) => ({ type: 'response.function_call_arguments.delta', ...at, delta })),
      { type: 'response.function_call_arguments.done', ...at, arguments: args },
    ];
  }
  const text = answerTo(asked, inputText(asked));
  const inPart = { ...at, content_index: 0 };
  return [
    { type: 'response.content_part.added', ...inPart, part: part('') },
    ...piecesOf(text, reply).map((delta) => ({ type: 'response.output_text.delta', ...inPart, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...inPart, text, logprobs: [] },
    { type: 'response.content_part.done', ...inPart, part: part(text) },
  ];
}

const inputText = ({ body }: Question): string => (typeof body['input'] === 'string' ? body['input'] : lastUserText(body['input']));
