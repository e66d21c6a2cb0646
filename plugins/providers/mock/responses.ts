import type { JsonObject } from '#core/json/merge.ts';
import { responseText, argumentsOf, type MockContent, lastUserText, piecesOf, type MockRequest, tokensIn } from './mock-response.ts';
import { Refusal } from './rules.ts';

/** The responses API of the mock, as one response or a stream. Nothing is stored. */
export function responses(request: MockRequest): MockContent {
  const completed = response(request, 'completed');
  if (!request.call.stream) return { json: completed };
  const inProgress = response(request, 'in_progress');
  const startedItem = item(request, 'in_progress');
  const events: readonly JsonObject[] = [
    { type: 'response.created', response: inProgress },
    { type: 'response.in_progress', response: inProgress },
    { type: 'response.output_item.added', output_index: 0, item: startedItem },
    ...itemEvents(request, { item_id: startedItem['id'], output_index: 0 }),
    { type: 'response.output_item.done', output_index: 0, item: item(request, 'completed') },
    { type: 'response.completed', response: completed },
  ];
  return { events: events.map((event, sequence_number) => ({ sequence_number, ...event })) };
}

/** `POST /responses/input_tokens`: the number of input tokens. */
export const inputTokens = (request: MockRequest): MockContent => ({
  json: { object: 'response.input_tokens', input_tokens: tokensIn(inputText(request)) },
});

/** Compacts a conversation: the last user message, and a placeholder for the rest. */
export function compact(request: MockRequest): MockContent {
  const { id, createdAt } = request.call;
  const text = inputText(request);
  const userMessage = { type: 'message', id: `msg_${id}`, role: 'user', status: 'completed', content: [{ type: 'input_text', text }] };
  const compaction = { type: 'compaction', id: `cmp_${id}`, encrypted_content: Buffer.from('mock').toString('base64') };
  const shared = { id: `resp_${id}`, object: 'response.compaction', created_at: createdAt };
  return { json: { ...shared, output: [userMessage, compaction], usage: usageOf(text, text) } };
}

/** Responses are not stored, so none is ever found. */
export function responseNotFound({ call }: MockRequest): never {
  throw new Refusal(null, 'id', `Response with id '${call.params['id'] ?? ''}' not found.`, 404);
}

type Status = 'completed' | 'in_progress';

function response(request: MockRequest, status: Status): JsonObject {
  const { body, call } = request;
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
    output: isDone ? [item(request, status)] : [],
    parallel_tool_calls: true,
    previous_response_id: null,
    store: false,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: isDone ? usageOf(inputText(request), responseText(request, inputText(request))) : null,
  };
}

function usageOf(prompt: string, answer: string): JsonObject {
  const [input, output] = [tokensIn(prompt), tokensIn(answer)];
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

function item(request: MockRequest, status: Status): JsonObject {
  const { call, reply } = request;
  const isDone = status === 'completed';
  if (reply.tool_call === undefined) {
    const content = isDone ? [part(responseText(request, inputText(request)))] : [];
    return { id: `msg_${call.id}`, type: 'message', role: 'assistant', status, content };
  }
  const ids = { id: `fc_${call.id}`, type: 'function_call', call_id: `call_${call.id}` };
  return { ...ids, name: reply.tool_call.name, arguments: isDone ? argumentsOf(reply) : '', status };
}

const part = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });

/** Events of an item: its arguments, or its text. */
function itemEvents(request: MockRequest, at: JsonObject): readonly JsonObject[] {
  const { reply } = request;
  if (reply.tool_call !== undefined) {
    const args = argumentsOf(reply);
    return [
      ...piecesOf(args, reply).map((delta) => ({ type: 'response.function_call_arguments.delta', ...at, delta })),
      { type: 'response.function_call_arguments.done', ...at, arguments: args },
    ];
  }
  const text = responseText(request, inputText(request));
  const inPart = { ...at, content_index: 0 };
  return [
    { type: 'response.content_part.added', ...inPart, part: part('') },
    ...piecesOf(text, reply).map((delta) => ({ type: 'response.output_text.delta', ...inPart, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...inPart, text, logprobs: [] },
    { type: 'response.content_part.done', ...inPart, part: part(text) },
  ];
}

const inputText = ({ body }: MockRequest): string => (typeof body['input'] === 'string' ? body['input'] : lastUserText(body['input']));
