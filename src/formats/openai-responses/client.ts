import type { Dialect, DialectCall } from '../../core/dialect.ts';
import type { ErrorFacts, GatewayError } from '../../core/error.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import { openaiDialect } from '../openai-chat/client.ts';
import { openaiError } from '../openai-chat/error-body.ts';
import { EventWriter } from '../shared/response/event-writer.ts';
import { ResponseEvents } from './to-client/events.ts';
import { wholeResponse } from './to-client/index.ts';
import type { ApiEvent } from './to-client/items.ts';

/** The responses API. Responses of services that support it are passed unchanged; all others are converted here. */
export const responsesDialect = Object.freeze<Dialect>({
  ...openaiDialect,
  isErrorEvent: ({ type }) => type === 'error',
  errorEvent,
  // A token count has no choices and needs no conversion.
  answer: (result: unknown, call: DialectCall) =>
    JSON.stringify(isJsonObject(result) && Array.isArray(result['choices']) ? wholeResponse(result, call) : result),
  write: (call: DialectCall) =>
    new EventWriter(new ResponseEvents(call), textOf, (error, eventCount) =>
      errorEvent(error, { requestId: call.id, eventCount }).toString('utf8'),
    ),
});

const textOf = ({ type, ...rest }: ApiEvent, sequence_number: number): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...rest })}\n\n`;

/**
 * Builds the API's error event (OpenAI, API reference: Responses, streaming events). Clients select events by their type. OpenAI's
 * libraries raise on `error`, which is therefore added. Vercel's AI SDK does not read an event without a number.
 */
function errorEvent(error: GatewayError, facts: ErrorFacts): Buffer {
  const body = openaiError(error, facts);
  const { code, message, param } = body;
  const event = { type: 'error', sequence_number: facts.eventCount ?? 0, code, message, param, error: body };
  return Buffer.from(`event: error\ndata: ${JSON.stringify(event)}\n\n`, 'utf8');
}
