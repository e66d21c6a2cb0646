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

/** @param hasCalls decides where the answer names no reason, or one that is not known yet */
export function finishReason(stopReason: string | undefined, hasCalls: boolean): string {
  const known = stopReason !== undefined && Object.hasOwn(reasons, stopReason) ? reasons[stopReason] : undefined;
  return known ?? (hasCalls ? 'tool_calls' : 'stop');
}
