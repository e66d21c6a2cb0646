/** `stopReason` in OpenAI's words. */
const reasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
  malformed_model_output: 'stop',
  malformed_tool_use: 'stop',
};

/** @param facts `calls` decides where the reason is not known; `isOutput`: the tool held the answer itself */
export function finishReason(stopReason: string | undefined, facts: { readonly calls: number; readonly isOutput: boolean }): string {
  if (facts.isOutput && facts.calls === 0 && stopReason === 'tool_use') return 'stop';
  const known = stopReason !== undefined && Object.hasOwn(reasons, stopReason) ? reasons[stopReason] : undefined;
  return known ?? (facts.calls > 0 ? 'tool_calls' : 'stop');
}
