/**
 * Id of a tool call for providers that give none: made from the request's id, so that it differs over a whole
 * conversation, with a prefix that shows it is ours. OpenAI's own service takes at most 40 characters,
 * and a conversation may go on there: the request id's own prefix is left off.
 */
export function madeCallId(requestId: string, choice: number, index: number): string {
  return `call_gw_${requestId.startsWith('req_') ? requestId.slice(4) : requestId}_${choice}_${index}`;
}
