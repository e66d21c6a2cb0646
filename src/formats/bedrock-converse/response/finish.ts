import type { ProviderFault } from '../../../core/error.ts';

/** OpenAI finish reason for each `stopReason`. */
export const finishReasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
};

/** Stop reasons of invalid responses: the service cannot parse what the model wrote. */
const faults: Readonly<Record<string, string>> = {
  malformed_model_output: 'The model wrote a response that is not valid.',
  malformed_tool_use: 'The model wrote a tool call that is not valid.',
};

/** Returns the error for a stop reason of an invalid response; undefined for any other stop reason. */
export function finishFault(stopReason: string | undefined): ProviderFault | undefined {
  const message = stopReason !== undefined && Object.hasOwn(faults, stopReason) ? faults[stopReason] : undefined;
  if (message === undefined) return undefined;
  return { message, code: stopReason ?? null, type: 'api_error', param: null, status: 502, isOfModel: true };
}
