import type { ProviderFault } from '../../../core/error.ts';
import { textOf } from '../../shared/json.ts';

/** The service's enum by number, for responses with numeric enums. */
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

/** OpenAI finish reasons other than a normal stop. */
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
  // Cut off by the service without a specific reason, or no image was generated.
  OTHER: 'content_filter',
  IMAGE_OTHER: 'content_filter',
  NO_IMAGE: 'content_filter',
  // With a single candidate these are faults (`finishFault`). Among several candidates, this one is incomplete.
  MALFORMED_FUNCTION_CALL: 'length',
  MALFORMED_RESPONSE: 'length',
  UNEXPECTED_TOOL_CALL: 'length',
  TOO_MANY_TOOL_CALLS: 'length',
  MISSING_THOUGHT_SIGNATURE: 'length',
};

/** Finish reasons of invalid responses, with the status of the resulting error: the service cannot parse what the model wrote. */
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

/** Returns the error for the finish reason of a single candidate; undefined for valid ones. @param finishMessage the message of the service about it */
export function finishFault(reason: string | undefined, finishMessage: unknown): ProviderFault | undefined {
  const row = reason !== undefined && Object.hasOwn(faults, reason) ? faults[reason] : undefined;
  if (row === undefined) return undefined;
  const { status, type, message } = row;
  return { message: textOf(finishMessage) ?? message, code: reason ?? null, type, param: null, status, isOfModel: true };
}

/** Returns the service's own finish reason; undefined while a candidate is in progress. */
export function nativeFinishReason(value: unknown): string | undefined {
  if (typeof value === 'number') return byNumber[value] ?? String(value);
  return textOf(value);
}

/**
 * Converts to OpenAI's finish reasons. The service has none for tool calls: a stop after a call becomes `tool_calls`. Unknown
 * reasons, which the service adds every few months, become a stop.
 */
export function finishReason(native: string | undefined, hasCalls: boolean): string {
  const reason = native !== undefined && Object.hasOwn(reasons, native) ? reasons[native] : undefined;
  return reason ?? (hasCalls ? 'tool_calls' : 'stop');
}
