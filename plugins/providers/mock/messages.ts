import { parseJson } from '#core/json/scan.ts';
import type { LocalAnswer } from '#core/provider.ts';
import { failure, named, lastUserText, piecesOf, type Question, streamed, tokensIn, whole } from './answer.ts';
import type { Problem } from './problems.ts';

/** The messages API of the mock, whole and streamed. */
export function messages(asked: Question): LocalAnswer {
  const failed = nativeFailure(asked);
  if (failed !== undefined) return failed;
  return asked.call.stream ? streamed(asked, events(asked)) : whole(asked, message(asked));
}

/** `POST /messages/count_tokens` */
export const countTokens = (asked: Question): LocalAnswer => nativeFailure(asked) ?? whole(asked, { input_tokens: sentTokens(asked) });

/** A refusal as this API writes it: its error has a type and a message, and no code. */
export function nativeRefusal({ status, message: text }: Problem, id: string): LocalAnswer {
  const type = status === 404 ? 'not_found_error' : 'invalid_request_error';
  const body = JSON.stringify({ type: 'error', error: { type, message: text }, request_id: `mock-${id}` });
  return { status, headers: { 'content-type': 'application/json', 'request-id': `mock-${id}` }, pieces: [{ text: body }] };
}

/** Types of this API, by status. */
const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** The configured error in the format of this API. */
function nativeFailure(asked: Question): LocalAnswer | undefined {
  const failed = failure(asked);
  if (failed === undefined) return undefined;
  const status = asked.reply.status ?? 200;
  const message = asked.reply.error ?? `The mock was configured to return ${status}.`;
  const error = { type: 'error', error: { type: types[status] ?? 'api_error', message }, request_id: `mock-${asked.call.id}` };
  const isStream = status < 400 && asked.call.stream;
  return { ...failed, pieces: [{ text: isStream ? named(error) : JSON.stringify(error) }] };
}

function message(asked: Question): Record<string, unknown> {
  const { call, reply } = asked;
  const text = answerText(asked);
  const isCall = reply.tool_call !== undefined;
  const content = [...(text === '' && isCall ? [] : [{ type: 'text', text }]), ...(isCall ? [toolUse(asked)] : [])];
  return {
    id: `msg_${call.id}`,
    type: 'message',
    role: 'assistant',
    model: call.model,
    content,
    stop_reason: isCall ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: sentTokens(asked), output_tokens: tokensIn(text) + (isCall ? 4 : 0) },
  };
}

const toolUse = ({ call, reply }: Question) => ({
  type: 'tool_use',
  id: `toolu_${call.id}`,
  name: reply.tool_call?.name ?? '',
  input: inputOf(reply.tool_call?.arguments),
});

function inputOf(args: string | object | undefined): unknown {
  if (typeof args !== 'string') return args ?? {};
  try {
    return parseJson(args) as unknown;
  } catch {
    return {};
  }
}

function events(asked: Question): readonly string[] {
  const done = message(asked);
  const blocks = done['content'] as readonly Record<string, unknown>[];
  const list = [named({ type: 'message_start', message: { ...done, content: [], stop_reason: null } })];
  for (const [index, block] of blocks.entries()) {
    const isText = block['type'] === 'text';
    list.push(named({ type: 'content_block_start', index, content_block: isText ? { type: 'text', text: '' } : { ...block, input: {} } }));
    const deltas = isText
      ? piecesOf(String(block['text']), asked.reply).map((text) => ({ type: 'text_delta', text }))
      : [{ type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }];
    for (const delta of deltas) list.push(named({ type: 'content_block_delta', index, delta }));
    list.push(named({ type: 'content_block_stop', index }));
  }
  const { stop_reason, usage } = done as { stop_reason: string; usage: { output_tokens: number } };
  list.push(named({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: usage.output_tokens } }));
  return [...list, named({ type: 'message_stop' })];
}

const answerText = ({ body, reply }: Question): string =>
  reply.text ?? (reply.tool_call === undefined ? lastUserText(body['messages']) : '');

const sentTokens = ({ body }: Question): number => tokensIn(lastUserText(body['messages']));
