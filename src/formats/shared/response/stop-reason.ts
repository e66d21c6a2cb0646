/**
 * Converts a stop reason of an Anthropic-style format to an OpenAI finish reason. Whether the response ended with tool calls is
 * decided by its calls: Bedrock sometimes reports `end_turn` after a call, and `tool_use` without one.
 *
 * @param reasons the format's table of stop reasons
 * @param calls number of tool calls, without the one whose arguments are the response itself
 */
export function finishReasonOf(reasons: Readonly<Record<string, string>>, stopReason: string | undefined, calls: number): string {
  const known = stopReason !== undefined && Object.hasOwn(reasons, stopReason) ? reasons[stopReason] : undefined;
  if (known === undefined || stopReason === 'end_turn' || known === 'tool_calls') return calls > 0 ? 'tool_calls' : 'stop';
  return known;
}
