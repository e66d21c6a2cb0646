import { isPlain } from '#core/json/merge.ts';
import type { LocalAnswer } from '#core/provider.ts';
import { argumentsOf, failure, lastUserText, piecesOf, type Question, streamed, textOfContent, tokensIn, whole } from './answer.ts';

/** Chat completions of the mock, whole and streamed. */
export function chat(asked: Question): LocalAnswer {
  const failed = failure(asked);
  if (failed !== undefined) return failed;
  return asked.call.stream ? streamed(asked, chunks(asked)) : whole(asked, completion(asked));
}

function completion(asked: Question): unknown {
  const { call, reply } = asked;
  const text = answerText(asked);
  const calls = reply.tool_call === undefined ? {} : { tool_calls: [toolCall(asked)] };
  const choices = choiceNumbers(asked).map((index) => ({
    index,
    finish_reason: finishReason(asked),
    logprobs: null,
    message: { role: 'assistant', content: text, refusal: null, annotations: [], ...calls },
  }));
  return { id: `chatcmpl-${call.id}`, object: 'chat.completion', created: call.createdAt, model: call.model, choices, usage: usage(asked) };
}

function chunks(asked: Question): readonly string[] {
  const { call, reply } = asked;
  const head = { id: `chatcmpl-${call.id}`, object: 'chat.completion.chunk', created: call.createdAt, model: call.model };
  const tail = call.includeUsage ? { usage: null } : {};
  const event = (index: number, delta: unknown, reason: string | null = null): string =>
    `data: ${JSON.stringify({ ...head, choices: [{ index, delta, logprobs: null, finish_reason: reason }], ...tail })}\n\n`;
  const events: string[] = [];
  for (const index of choiceNumbers(asked)) {
    events.push(event(index, { role: 'assistant', content: '', refusal: null }));
    for (const piece of piecesOf(answerText(asked) ?? '', reply)) events.push(event(index, { content: piece }));
    if (reply.tool_call !== undefined) for (const delta of toolDeltas(asked)) events.push(event(index, delta));
    events.push(event(index, {}, finishReason(asked)));
  }
  if (call.includeUsage) events.push(`data: ${JSON.stringify({ ...head, choices: [], usage: usage(asked) })}\n\n`);
  return [...events, 'data: [DONE]\n\n'];
}

/** A tool call names itself in its first delta; its arguments follow in two pieces. */
function toolDeltas(asked: Question): readonly unknown[] {
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
  function: { name: reply.tool_call?.name ?? '', arguments: argumentsOf({ ...reply }) },
});

const finishReason = ({ reply }: Question): string => reply.finish_reason ?? (reply.tool_call === undefined ? 'stop' : 'tool_calls');

const answerText = ({ body, reply }: Question): string | null =>
  reply.text ?? (reply.tool_call === undefined ? lastUserText(body['messages']) : null);

function choiceNumbers({ body }: Question): readonly number[] {
  const n = typeof body['n'] === 'number' && body['n'] > 1 ? Math.min(body['n'], 128) : 1;
  return Array.from({ length: n }, (_, index) => index);
}

function usage(asked: Question): unknown {
  const messages = asked.body['messages'];
  const said = Array.isArray(messages)
    ? messages.map((message: unknown) => (isPlain(message) ? textOfContent(message['content']) : '')).join(' ')
    : '';
  const prompt = tokensIn(said);
  const answered = tokensIn((answerText(asked) ?? '') + (asked.reply.tool_call === undefined ? '' : argumentsOf(asked.reply)));
  const completion = answered * choiceNumbers(asked).length;
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
