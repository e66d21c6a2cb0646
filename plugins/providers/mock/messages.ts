import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import { parseObject, stringOf } from '#formats/shared/json.ts';
import { responseText, type MockContent, lastUserText, piecesOf, type MockRequest, tokensIn } from './mock-response.ts';

/** The messages API of the mock, as one response or a stream. */
export function messages(request: MockRequest): MockContent {
  const { call, reply } = request;
  const text = responseText(request, lastUserText(request.body['messages']));
  const { tool_call: tool } = reply;
  const content: readonly JsonObject[] = [
    ...(text === '' && tool !== undefined ? [] : [{ type: 'text', text }]),
    ...(tool === undefined ? [] : [{ type: 'tool_use', id: `toolu_${call.id}`, name: tool.name, input: inputOf(tool.arguments) }]),
  ];
  const stop_reason = tool === undefined ? 'end_turn' : 'tool_use';
  const usage = { input_tokens: inputTokens(request), output_tokens: tokensIn(text) + (tool === undefined ? 0 : 4) };
  const message = {
    id: `msg_${call.id}`,
    type: 'message',
    role: 'assistant',
    model: call.model,
    content,
    stop_reason,
    stop_sequence: null,
    usage,
  };
  if (!call.stream) return { json: message };
  return {
    events: [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      ...content.flatMap((block, index) => blockEvents(request, block, index)),
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: usage.output_tokens } },
      { type: 'message_stop' },
    ],
  };
}

function blockEvents({ reply }: MockRequest, block: JsonObject, index: number): readonly JsonObject[] {
  const isText = block['type'] === 'text';
  const deltas = isText
    ? piecesOf(String(block['text']), reply).map((text) => ({ type: 'text_delta', text }))
    : [{ type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }];
  return [
    { type: 'content_block_start', index, content_block: isText ? { type: 'text', text: '' } : { ...block, input: {} } },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

/** `POST /messages/count_tokens` */
export const countTokens = (request: MockRequest): MockContent => ({ json: { input_tokens: inputTokens(request) } });

const inputOf = (args: unknown): JsonObject => (isJsonObject(args) ? args : (parseObject(stringOf(args)) ?? {}));

const inputTokens = ({ body }: MockRequest): number => tokensIn(lastUserText(body['messages']));
