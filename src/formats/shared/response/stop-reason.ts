/**
 * Converts a stop reason of an Anthropic-style format to an OpenAI finish reason.
 *
 * @param reasons the format's table of stop reasons
 * @param facts `calls`: number of tool calls, used if the response has no known stop reason; `isOutput`: the arguments of a tool
 * are the response itself
 */
export function finishReasonOf(
  reasons: Readonly<Record<string, string>>,
  stopReason: string | undefined,
  { calls, isOutput }: { readonly calls: number; readonly isOutput: boolean },
): string {
  if (isOutput && calls === 0 && stopReason === 'tool_use') return 'stop';
  const known = stopReason !== undefined && Object.hasOwn(reasons, stopReason) ? reasons[stopReason] : undefined;
  return known ?? (calls > 0 ? 'tool_calls' : 'stop');
}
