/**
 * Creates a tool call ID for providers that return none. It contains the request ID, so that it is unique in a
 * conversation, and a prefix that identifies the gateway. OpenAI's own service, where a conversation may continue,
 * accepts at most 40 characters, so the prefix of the request ID is removed.
 */
export function makeCallId(requestId: string, choice: number, index: number): string {
  return `call_gw_${requestId.startsWith('req_') ? requestId.slice(4) : requestId}_${choice}_${index}`;
}
