/**
 * Creates a tool call ID for providers that return none. It contains the request ID, so that it is unique in a
 * conversation, and a prefix that identifies the gateway. OpenAI's own service, where a conversation may continue,
 * accepts at most 40 characters, so the prefix of the request ID is removed.
 */
export function makeCallId(requestId: string, choice: number, index: number): string {
  return `call_gw_${bareRequestId(requestId)}_${choice}_${index}`;
}

/** A request ID without its prefix, for ids of other kinds, which have their own. */
export const bareRequestId = (id: string): string => (id.startsWith('req_') ? id.slice(4) : id);
