/** `stop_reason` in OpenAI's words. A turn that was paused can be resumed: nothing is missing yet. */
const reasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

/** @param facts `calls` decides where the answer names no reason, or one that is not known yet; `isOutput`: the tool held the answer itself */
export function finishReason(stopReason: string | undefined, facts: { readonly calls: number; readonly isOutput: boolean }): string {
  if (facts.isOutput && facts.calls === 0 && stopReason === 'tool_use') return 'stop';
  const known = stopReason !== undefined && Object.hasOwn(reasons, stopReason) ? reasons[stopReason] : undefined;
  return known ?? (facts.calls > 0 ? 'tool_calls' : 'stop');
}
