import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import type { LineEdit } from '#core/http/form.ts';
import type { CollectCall } from '#formats/openai-chat/collect.ts';
import { fromMessage } from '#formats/anthropic-messages/response/result.ts';
import { parseExact } from '#core/json/scan.ts';
import { statusOfType } from '#formats/anthropic-messages/fault.ts';
import { objectOf, textOf } from '#formats/shared/json.ts';
import type { BatchEndpoint } from './ids.ts';

/** Options for the output lines of a batch. */
export interface ResultOptions {
  readonly endpoint: BatchEndpoint;
  readonly call: CollectCall;
}

/**
 * Converts result lines of a message batch to output lines of the OpenAI format. A failed request has both: the response that its
 * client would have got, and the error. Other lines pass unchanged; empty lines are removed.
 */
export function resultLines(options: ResultOptions): LineEdit {
  return (text) => {
    if (text.trim() === '') return undefined;
    const line = parseLine(text);
    if (line === undefined || !isJsonObject(line['result'])) return text;
    const id = textOf(line['custom_id']) ?? '';
    return JSON.stringify({ id: `batch_req_${id}`, custom_id: id, ...outcomeOf(line['result'], options) });
  };
}

interface LineOutcome {
  readonly response: { readonly status_code: number; readonly request_id: string | null; readonly body: JsonObject } | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

function outcomeOf(result: JsonObject, { endpoint, call }: ResultOptions): LineOutcome {
  switch (result['type']) {
    case 'succeeded': {
      const message = objectOf(result['message']);
      // An invalid message must not end the output of all other requests.
      if (!Array.isArray(message['content'])) return failed('upstream_invalid', 'The response is not a message.');
      const body = endpoint === '/v1/messages' ? message : fromMessage('', call, message);
      return { response: { status_code: 200, request_id: textOf(message['id']) ?? null, body }, error: null };
    }
    case 'errored':
      return errored(result['error']);
    case 'canceled':
      return failed('batch_cancelled', 'This request was not executed because the batch was cancelled.');
    case 'expired':
      return failed('batch_expired', 'This request could not be executed before the completion window expired.');
    default:
      return failed('unknown', `The service returned a result of type "${String(result['type'])}".`);
  }
}

/** Parses `{type: 'error', error: {type, message}, request_id}`, or only the inner object. */
function errored(value: unknown): LineOutcome {
  const outer = objectOf(value);
  const inner = isJsonObject(outer['error']) ? outer['error'] : outer;
  const type = textOf(inner['type']) ?? 'api_error';
  const message = textOf(inner['message']) ?? 'The service sent no error message.';
  const body = { error: { message, type, param: null, code: null } };
  return {
    response: { status_code: statusOfType(type), request_id: textOf(outer['request_id']) ?? null, body },
    error: { code: type, message },
  };
}

const failed = (code: string, message: string): LineOutcome => ({ response: null, error: { code, message } });

function parseLine(text: string): JsonObject | undefined {
  try {
    const value = parseExact(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
