import type { LocalAnswer } from '#core/provider.ts';
import { failure, piecesOf, type Question, streamed, tokensIn, whole } from './answer.ts';

/** Legacy text completions of the mock: the prompt comes back. */
export function completions(asked: Question): LocalAnswer {
  const failed = failure(asked);
  if (failed !== undefined) return failed;
  const { body, call, reply } = asked;
  const prompt = Array.isArray(body['prompt']) ? body['prompt'].join(' ') : String(body['prompt'] ?? '');
  const text = reply.text ?? prompt;
  const head = { id: `cmpl-${call.id}`, object: 'text_completion', created: call.createdAt, model: call.model };
  const choice = (part: string, reason: string | null) => ({ index: 0, text: part, logprobs: null, finish_reason: reason });
  const reason = reply.finish_reason ?? 'stop';
  const sent = tokensIn(prompt);
  const usage = { prompt_tokens: sent, completion_tokens: tokensIn(text), total_tokens: sent + tokensIn(text) };
  if (!call.stream) return whole(asked, { ...head, choices: [choice(text, reason)], usage });
  const events = [
    ...piecesOf(text, reply).map((piece) => ({ ...head, choices: [choice(piece, null)] })),
    { ...head, choices: [choice('', reason)] },
  ];
  const last = call.includeUsage ? [{ ...head, choices: [], usage }] : [];
  return streamed(asked, [...[...events, ...last].map((event) => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n']);
}
