import type { ProviderFault } from '../../core/error.ts';
import type { WireEvent } from '../../core/events.ts';
import { isPlain } from '../../core/json/merge.ts';
import { MessagesTap } from '../anthropic-messages/answer/tap.ts';
import { parseObject, textOf } from '../shared/json.ts';
import { faultIn, faultOfEvent, isFault } from './fault.ts';

/** Answers of InvokeModel for models of Anthropic: the messages API's own, whole, and streamed in frames. */
export class InvokeTap extends MessagesTap {
  readonly unwrap = messageIn;

  /** The service's own errors have another form than the API's. */
  override whole(text: string): ProviderFault | undefined {
    const fault = super.whole(text);
    const { answer } = this;
    if (fault === undefined && isPlain(answer) && answer['type'] === undefined) this.fault = faultIn(answer);
    return this.fault;
  }
}

/** The event of the messages API that a frame carries; an exception of the service as its error. */
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

/** Anthropic's types of errors by the status that the exception stands for. */
const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};
