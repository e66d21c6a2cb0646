import type { LocalAnswer } from '#core/provider.ts';
import { argumentsOf, failure, lastUserText, piecesOf, type Question, streamed, tokensIn, whole } from './answer.ts';
import { notFound, refusal } from './problems.ts';

/** The responses API of the mock, whole and streamed. Nothing is stored. */
export function responses(asked: Question): LocalAnswer {
  const failed = failure(asked);
  if (failed !== undefined) return failed;
  return asked.call.stream ? streamed(asked, events(asked)) : whole(asked, response(asked, 'completed'));
}

/** `POST /responses/input_tokens`: how many tokens the input would take. */
export function inputTokens(asked: Question): LocalAnswer {
  return failure(asked) ?? whole(asked, { object: 'response.input_tokens', input_tokens: tokensIn(inputText(asked)) });
}

/** Compacts a conversation: what the user said last, and a mark for the rest. */
export function compacted(asked: Question): LocalAnswer {
  const { call } = asked;
  const text = inputText(asked);
  const kept = { type: 'message', id: `msg_${call.id}`, role: 'user', status: 'completed', content: [{ type: 'input_text', text }] };
  const rest = { type: 'compaction', id: `cmp_${call.id}`, encrypted_content: Buffer.from('mock').toString('base64') };
  const tokens = tokensIn(text);
  const usage = {
    input_tokens: tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: tokens * 2,
  };
  const shared = { id: `resp_${call.id}`, object: 'response.compaction', created_at: call.createdAt };
  return failure(asked) ?? whole(asked, { ...shared, output: [kept, rest], usage });
}

/** Responses are not stored, and say so: there is none to be found. */
export function noResponse({ call }: Question): LocalAnswer {
  return refusal(notFound(null, `Response with id '${call.params['id'] ?? ''}' not found.`, 'id'), call.id);
}

function response(asked: Question, status: 'completed' | 'in_progress'): Record<string, unknown> {
  const { body, call } = asked;
  const input = tokensIn(inputText(asked));
  const output = tokensIn(answerText(asked));
  const done = status === 'completed';
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
    output: done ? [item(asked, 'completed')] : [],
    parallel_tool_calls: true,
    previous_response_id: null,
    store: false,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: done
      ? {
          input_tokens: input,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: output,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: input + output,
        }
      : null,
  };
}

function item(asked: Question, status: 'completed' | 'in_progress'): Record<string, unknown> {
  const { call, reply } = asked;
  const done = status === 'completed';
  if (reply.tool_call !== undefined) {
    return {
      id: `fc_${call.id}`,
      type: 'function_call',
      call_id: `call_${call.id}`,
      name: reply.tool_call.name,
      arguments: done ? argumentsOf(reply) : '',
      status,
    };
  }
  return { id: `msg_${call.id}`, type: 'message', role: 'assistant', status, content: done ? [part(answerText(asked))] : [] };
}

const part = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });

function events(asked: Question): readonly string[] {
  const { reply } = asked;
  const opened = item(asked, 'in_progress');
  const at = { item_id: opened['id'], output_index: 0 };
  const text = reply.tool_call === undefined ? answerText(asked) : argumentsOf(reply);
  const body =
    reply.tool_call === undefined ? textEvents(at, text, piecesOf(text, reply)) : argumentEvents(at, text, piecesOf(text, reply));
  const list: readonly Record<string, unknown>[] = [
    { type: 'response.created', response: response(asked, 'in_progress') },
    { type: 'response.in_progress', response: response(asked, 'in_progress') },
    { type: 'response.output_item.added', output_index: 0, item: opened },
    ...body,
    { type: 'response.output_item.done', output_index: 0, item: item(asked, 'completed') },
    { type: 'response.completed', response: response(asked, 'completed') },
  ];
  return list.map(
    ({ type, ...rest }, number) => `event: ${String(type)}\ndata: ${JSON.stringify({ type, sequence_number: number, ...rest })}\n\n`,
  );
}

function textEvents(item: object, text: string, pieces: readonly string[]): readonly Record<string, unknown>[] {
  const at = { ...item, content_index: 0 };
  return [
    { type: 'response.content_part.added', ...at, part: part('') },
    ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...at, text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part: part(text) },
  ];
}

const argumentEvents = (at: object, text: string, pieces: readonly string[]): readonly Record<string, unknown>[] => [
  ...pieces.map((delta) => ({ type: 'response.function_call_arguments.delta', ...at, delta })),
  { type: 'response.function_call_arguments.done', ...at, arguments: text },
];

const answerText = (asked: Question): string => asked.reply.text ?? (asked.reply.tool_call === undefined ? inputText(asked) : '');

const inputText = ({ body }: Question): string => (typeof body['input'] === 'string' ? body['input'] : lastUserText(body['input']));
