import type { ProviderFault } from '../../../core/error.ts';
import { textOf } from '../../shared/json.ts';

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
  // Cut by the service for a reason that it does not name; a picture that was not made.
  OTHER: 'content_filter',
  IMAGE_OTHER: 'content_filter',
  NO_IMAGE: 'content_filter',
  // Of several answers one is a fault (`finishFault`): it is not whole.
  MALFORMED_FUNCTION_CALL: 'length',
  MALFORMED_RESPONSE: 'length',
  UNEXPECTED_TOOL_CALL: 'length',
  TOO_MANY_TOOL_CALLS: 'length',
  MISSING_THOUGHT_SIGNATURE: 'length',
};

/** Ends of what is no answer, with the status of the error that they are: the model wrote what the service cannot read. */
const faults: Readonly<Record<string, { readonly status: number; readonly type: string; readonly message: string }>> = {
  MALFORMED_FUNCTION_CALL: { status: 502, type: 'api_error', message: 'The model wrote a function call that is not valid.' },
  MALFORMED_RESPONSE: { status: 502, type: 'api_error', message: 'The model wrote a response that is not valid.' },
  UNEXPECTED_TOOL_CALL: { status: 502, type: 'api_error', message: 'The model called a tool that the request does not have.' },
  TOO_MANY_TOOL_CALLS: { status: 502, type: 'api_error', message: 'The model called too many tools in a row.' },
  MISSING_THOUGHT_SIGNATURE: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The request has a tool call without its thought_signature.',
  },
};

/** The error that a lone answer is which ends with this word; undefined for every other end. @param why `finishMessage` */
export function finishFault(word: string | undefined, why: unknown): ProviderFault | undefined {
  const row = word !== undefined && Object.hasOwn(faults, word) ? faults[word] : undefined;
  if (row === undefined) return undefined;
  const { status, type, message } = row;
  return { message: textOf(why) ?? message, code: word ?? null, type, param: null, status, isOfModel: true };
}

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
