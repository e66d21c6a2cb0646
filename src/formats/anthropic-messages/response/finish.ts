/** OpenAI finish reason for each `stop_reason`. A turn that paused, or that ended with the summary of its context, continues when it is sent back. */
export const finishReasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'length',
  compaction: 'length',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};
