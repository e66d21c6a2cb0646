/**
 * A stop reason of the Anthropic family in OpenAI's words.
 *
 * @param reasons the table of the format
 * @param facts `calls` decides where the answer names no reason, or one that is not known yet; `isOutput`: the tool held the answer itself
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
