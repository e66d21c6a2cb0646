import type { ProviderFault } from '../../core/error.ts';
import type { WireEvent } from '../../core/events.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import { MessagesTap } from '../anthropic-messages/response/tap.ts';
import { parseObject, textOf } from '../shared/json.ts';
import { faultIn, faultOfEvent, isFault } from './fault.ts';

/** Tap for responses of InvokeModel for Anthropic models: those of the messages API, whole, or streamed in frames. */
export class InvokeTap extends MessagesTap {
  readonly unwrap = messageIn;

  /** Bedrock's own errors have another form than those of the messages API. */
  override whole(text: string): ProviderFault | undefined {
    const fault = super.whole(text);
    const { answer } = this;
    if (fault === undefined && isJsonObject(answer) && answer['type'] === undefined) this.fault = faultIn(answer);
    return this.fault;
  }
}

/** Unwraps the messages API event of a frame. An exception of the service becomes an error event. */
function messageIn(event: WireEvent): WireEvent {
  if (isFault(event)) {
    const { message, status } = faultOfEvent(event);
    return { name: 'error', data: JSON.stringify({ type: 'error', error: { type: errorTypes[status ?? 500] ?? 'api_error', message } }) };
  }
  const bytes = textOf(parseObject(event.data)?.['bytes']);
  if (bytes === undefined) return { name: 'ping', data: '{"type":"ping"}' };
  const data = Buffer.from(bytes, 'base64').toString('utf8');
  return { name: /^\s*\{\s*"type"\s*:\s*"([\w-]+)"/.exec(data)?.[1] ?? textOf(parseObject(data)?.['type']) ?? 'message', data };
}

/** Anthropic error type by the HTTP status of the exception. */
const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};
