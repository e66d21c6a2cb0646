/** The service's enum by number, for answers in that encoding. */
const byNumber = [
  'FINISH_REASON_UNSPECIFIED',
  'STOP',
  'MAX_TOKENS',
  'SAFETY',
  'RECITATION',
  'OTHER',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'MALFORMED_FUNCTION_CALL',
] as const;

/** What is no plain stop. */
const reasons: Readonly<Record<string, string>> = {
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  SAFETY: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  MODEL_ARMOR: 'content_filter',
  RECITATION: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
};

/** The service's own word; undefined while an answer is in progress. */
export function finishWord(value: unknown): string | undefined {
  if (typeof value === 'number') return byNumber[value] ?? String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Finish reason of the OpenAI set. The service has none for calls: a stop after a call is `tool_calls`.
 * New words appear every few months: an unknown one is a stop.
 */
export function finishReason(word: string | undefined, hasCalls: boolean): string {
  const reason = word !== undefined && Object.hasOwn(reasons, word) ? reasons[word] : undefined;
  return reason ?? (hasCalls ? 'tool_calls' : 'stop');
}
