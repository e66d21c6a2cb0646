import type { Dialect, DialectCall } from '../../core/dialect.ts';
import type { ErrorFacts, GatewayError } from '../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { messageEvents } from '../shared/response/whole-as-events.ts';
import { EventWriter } from '../shared/response/event-writer.ts';
import { MessageEvents } from './to-client/events.ts';
import { textOf, wholeMessage } from './to-client/index.ts';

const errorEvent = (error: GatewayError, facts: ErrorFacts): Buffer =>
  Buffer.from(`event: error\ndata: ${messagesError(error, facts)}\n\n`, 'utf8');

/** The messages API. Responses of services that support it are passed unchanged; all others are converted here. */
export const messagesDialect = Object.freeze<Dialect>({
  idHeader: 'request-id',
  isError: ({ type, error }: JsonObject) =>
    type === 'error' && isJsonObject(error) && typeof error['type'] === 'string' && typeof error['message'] === 'string',
  errorBody: (error: GatewayError, facts: ErrorFacts) => Buffer.from(messagesError(error, facts), 'utf8'),
  streamed: { messages: messageEvents },
  errorEvent,
  // A token count has no choices and needs no conversion.
  answer: (result: unknown, call: DialectCall) =>
    JSON.stringify(isJsonObject(result) && Array.isArray(result['choices']) ? wholeMessage(result, call) : result),
  write: (call: DialectCall) =>
    new EventWriter(new MessageEvents(call), textOf, (error) => errorEvent(error, { requestId: call.id }).toString('utf8')),
});

/** Builds the API's error object, with the gateway's members under `error.gateway`. Its client libraries print the whole object. */
function messagesError(error: GatewayError, facts: ErrorFacts): string {
  const fault = error.provider;
  return JSON.stringify({
    type: 'error',
    error: {
      ...fault?.extra,
      type: typeOf(error),
      message: error.message,
      gateway: {
        code: error.code,
        source: error.source,
        ...(error.param === undefined ? {} : { param: error.param }),
        ...(facts.provider === undefined ? {} : { provider: facts.provider }),
        ...(facts.attempts === undefined ? {} : { attempts: facts.attempts }),
        ...(error.hint === undefined ? {} : { hint: error.hint }),
      },
    },
    request_id: facts.requestId,
  });
}

/** Returns the provider's error type if it has the form of the API's own. General types are replaced by the type of the status. */
function typeOf({ provider, status }: GatewayError): string {
  const type = provider?.type ?? '';
  return type.endsWith('_error') && !genericTypes.has(type) ? type : typeOfStatus(status);
}

const genericTypes: ReadonlySet<string> = new Set([
  'invalid_request_error',
  'api_error',
  'server_error',
  'upstream_error',
  'internal_error',
]);

/** The API's error type for each status. Libraries choose their exception by the status; the type is for people. */
const typesByStatus: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

const typeOfStatus = (status: number): string => typesByStatus[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
