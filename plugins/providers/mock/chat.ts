import { isPlain, type Plain } from '#core/json/merge.ts';
import { answerTo, argumentsOf, type Content, countOf, lastUserText, piecesOf, type Question, textOfContent, tokensIn } from './answer.ts';

/** Chat completions of the mock, whole and streamed. */
export function chat(asked: Question): Content {
  const { call, reply } = asked;
  const choices = Array.from({ length: countOf(asked, 128) }, (_, index) => index);
  const finish_reason = reply.finish_reason ?? (reply.tool_call === undefined ? 'stop' : 'tool_calls');
  const content = answerTo(asked, lastUserText(asked.body['messages']));
  const head = { id: `chatcmpl-${call.id}`, object: 'chat.completion', created: call.createdAt, model: call.model };
  const usage = usageOf(sentText(asked), choices.length * tokensIn(content + (reply.tool_call === undefined ? '' : argumentsOf(reply))));
  if (!call.stream) {
    const calls = reply.tool_call === undefined ? {} : { tool_calls: [toolCall(asked)] };
    // Without text, the content of a tool call is null.
    const text = reply.tool_call !== undefined && reply.text === undefined ? null : content;
    const message = { role: 'assistant', content: text, refusal: null, annotations: [], ...calls };
    return { json: { ...head, choices: choices.map((index) => ({ index, finish_reason, logprobs: null, message })), usage } };
  }
  const deltas = [
    { role: 'assistant', content: '', refusal: null },
    ...piecesOf(content, reply).map((piece) => ({ content: piece })),
    ...(reply.tool_call === undefined ? [] : toolDeltas(asked)),
  ];
  const chunk = (index: number, delta: Plain, reason: string | null) => ({ index, delta, logprobs: null, finish_reason: reason });
  const chunks = choices.flatMap((index) => [...deltas.map((delta) => chunk(index, delta, null)), chunk(index, {}, finish_reason)]);
  return chunkEvents(asked, { ...head, object: 'chat.completion.chunk' }, chunks, usage);
}

/** Legacy text completions of the mock: the prompt is returned. */
export function completions(asked: Question): Content {
  const { body, call, reply } = asked;
  const prompt = Array.isArray(body['prompt']) ? body['prompt'].join(' ') : String(body['prompt'] ?? '');
  const text = reply.text ?? prompt;
  const head = { id: `cmpl-${call.id}`, object: 'text_completion', created: call.createdAt, model: call.model };
  const choice = (part: string, reason: string | null) => ({ index: 0, text: part, logprobs: null, finish_reason: reason });
  const reason = reply.finish_reason ?? 'stop';
  const usage = usageOf(prompt, tokensIn(text));
  if (!call.stream) return { json: { ...head, choices: [choice(text, reason)], usage } };
  return chunkEvents(asked, head, [...piecesOf(text, reply).map((piece) => choice(piece, null)), choice('', reason)], usage);
}

/** One chunk per choice, and the usage if requested. */
function chunkEvents({ call }: Question, head: Plain, choices: readonly Plain[], usage: Plain): Content {
  const isChat = call.endpoint === 'chat/completions';
  const tail = call.includeUsage && isChat ? { usage: null } : {};
  const last = call.includeUsage ? [{ ...head, choices: [], usage }] : [];
  return { events: [...choices.map((choice) => ({ ...head, choices: [choice], ...tail })), ...last, '[DONE]'] };
}

/** The first delta of a tool call contains its name; its arguments follow in two pieces. */
function toolDeltas(asked: Question): readonly Plain[] {
  const call = toolCall(asked);
  const text = call.function.arguments;
  const half = Math.ceil(text.length / 2);
  const rest = [text.slice(0, half), text.slice(half)].filter((piece) => piece !== '');
  return [
    { tool_calls: [{ index: 0, ...call, function: { ...call.function, arguments: '' } }] },
    ...rest.map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
  ];
}

const toolCall = ({ call, reply }: Question) => ({
  id: `call_${call.id}`,
  type: 'function',
  function: { name: reply.tool_call?.name ?? '', arguments: argumentsOf(reply) },
});

function sentText({ body }: Question): string {
  const messages: readonly unknown[] = Array.isArray(body['messages']) ? body['messages'] : [];
  return messages.map((message) => (isPlain(message) ? textOfContent(message['content']) : '')).join(' ');
}

function usageOf(sent: string, completion: number): Plain {
  const prompt = tokensIn(sent);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
