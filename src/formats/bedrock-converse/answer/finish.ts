import type { ProviderFault } from '../../../core/error.ts';

/** `stopReason` in OpenAI's words. */
export const finishReasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
};

/** Ends of what is no answer: the model wrote what the service cannot read. */
const faults: Readonly<Record<string, string>> = {
  malformed_model_output: 'The model wrote a response that is not valid.',
  malformed_tool_use: 'The model wrote a tool call that is not valid.',
};

/** The error that an answer is which ends with this word; undefined for every other end. */
export function finishFault(word: string | undefined): ProviderFault | undefined {
  const message = word !== undefined && Object.hasOwn(faults, word) ? faults[word] : undefined;
  if (message === undefined) return undefined;
  return { message, code: word ?? null, type: 'api_error', param: null, status: 502, isOfModel: true };
}
