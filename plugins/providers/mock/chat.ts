import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import { checkChoices } from './limits.ts';
import {
  responseText,
  argumentsOf,
  type MockContent,
  countOf,
  lastUserText,
  piecesOf,
  type MockRequest,
  textOfContent,
  tokensIn,
} from './mock-response.ts';

/** Chat completions of the mock, whole and streamed. */
export function chat(request: MockRequest): MockContent {
  const { call, reply } = request;
  const choices = Array.from({ length: countOf(request, 128) }, (_, index) => index);
  const toolArguments = reply.tool_call === undefined ? '' : argumentsOf(reply);
  const finish_reason = reply.finish_reason ?? (reply.tool_call === undefined ? 'stop' : 'tool_calls');
  const content = responseText(request, lastUserText(request.body['messages']));
  const head = { id: `chatcmpl-${call.id}`, object: 'chat.completion', created: call.createdAt, model: call.model };
  checkChoices([content + toolArguments], choices.length);
  const usage = usageOf(tokensIn(promptText(request)), choices.length * tokensIn(content + toolArguments));
  if (!call.stream) {
    const calls = reply.tool_call === undefined ? {} : { tool_calls: [toolCall(request)] };
    // Without text, the content of a tool call is null.
    const text = reply.tool_call !== undefined && reply.text === undefined ? null : content;
    const message = { role: 'assistant', content: text, refusal: null, annotations: [], ...calls };
    return { json: { ...head, choices: choices.map((index) => ({ index, finish_reason, logprobs: null, message })), usage } };
  }
  const deltas = [
    { role: 'assistant', content: '', refusal: null },
    ...piecesOf(content, reply, choices.length).map((piece) => ({ content: piece })),
    ...(reply.tool_call === undefined ? [] : toolDeltas(request)),
  ];
  const chunk = (index: number, delta: JsonObject, reason: string | null) => ({ index, delta, logprobs: null, finish_reason: reason });
  const chunks = choices.flatMap((index) => [...deltas.map((delta) => chunk(index, delta, null)), chunk(index, {}, finish_reason)]);
  return chunkEvents(request, { ...head, object: 'chat.completion.chunk' }, chunks, usage);
}

/** Legacy text completions of the mock: each prompt is returned `n` times. */
export function completions(request: MockRequest): MockContent {
  const { call, reply } = request;
  const prompts = promptsOf(request.body['prompt']);
  const n = countOf(request, 128);
  const texts = prompts.map((prompt) => reply.text ?? prompt);
  checkChoices(texts, n);
  const choices = texts.flatMap((text) => Array.from({ length: n }, () => text));
  const head = { id: `cmpl-${call.id}`, object: 'text_completion', created: call.createdAt, model: call.model };
  const choice = (index: number, text: string, finish_reason: string | null) => ({ index, text, logprobs: null, finish_reason });
  const reason = reply.finish_reason ?? 'stop';
  const usage = usageOf(tokensIn(prompts.join(' ')), n * sumOfTokens(texts));
  if (!call.stream) return { json: { ...head, choices: choices.map((text, index) => choice(index, text, reason)), usage } };
  const chunks = choices.flatMap((text, index) => [
    ...piecesOf(text, reply, choices.length).map((piece) => choice(index, piece, null)),
    choice(index, '', reason),
  ]);
  return chunkEvents(request, head, chunks, usage);
}

/** Returns one text per prompt: a string, strings, one token array, or several. */
function promptsOf(prompt: unknown): readonly string[] {
  if (!Array.isArray(prompt)) return [String(prompt ?? '')];
  const items = prompt as readonly unknown[];
  if (items.every((item) => typeof item === 'number')) return [items.join(' ')];
  return items.map((item) => (Array.isArray(item) ? item.join(' ') : String(item)));
}

const sumOfTokens = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + tokensIn(text), 0);

/** One chunk per choice, and the usage if requested. */
function chunkEvents({ call }: MockRequest, head: JsonObject, choices: readonly JsonObject[], usage: JsonObject): MockContent {
  const isChat = call.endpoint === 'chat/completions';
  const usageMember = call.includeUsage && isChat ? { usage: null } : {};
  const usageChunks = call.includeUsage ? [{ ...head, choices: [], usage }] : [];
  return { events: [...choices.map((choice) => ({ ...head, choices: [choice], ...usageMember })), ...usageChunks, '[DONE]'] };
}

/** The first delta of a tool call contains its name; its arguments follow in two pieces. */
function toolDeltas(request: MockRequest): readonly JsonObject[] {
  const call = toolCall(request);
  const text = call.function.arguments;
  const half = Math.ceil(text.length / 2);
  const rest = [text.slice(0, half), text.slice(half)].filter((piece) => piece !== '');
  return [
    { tool_calls: [{ index: 0, ...call, function: { ...call.function, arguments: '' } }] },
    ...rest.map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
  ];
}

const toolCall = ({ call, reply }: MockRequest) => ({
  id: `call_${call.id}`,
  type: 'function',
  function: { name: reply.tool_call?.name ?? '', arguments: argumentsOf(reply) },
});

function promptText({ body }: MockRequest): string {
  const messages: readonly unknown[] = Array.isArray(body['messages']) ? body['messages'] : [];
  return messages.map((message) => (isJsonObject(message) ? textOfContent(message['content']) : '')).join(' ');
}

const usageOf = (prompt: number, completion: number): JsonObject => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});
