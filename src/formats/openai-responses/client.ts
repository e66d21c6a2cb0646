import type { Dialect } from '../../core/dialect.ts';
import type { ErrorFacts, GatewayError } from '../../core/error.ts';
import { openaiDialect } from '../openai-chat/client.ts';
import { openaiError } from '../openai-chat/error-body.ts';

/** The responses API: as the other OpenAI APIs, except for the event that ends a stream with an error. */
export const responsesDialect = Object.freeze<Dialect>({ ...openaiDialect, isErrorEvent: ({ type }) => type === 'error', errorEvent });

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
