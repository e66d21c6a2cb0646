import type { Dialect } from '../../core/dialect.ts';
import type { ErrorFacts, GatewayError } from '../../core/error.ts';
import { openaiDialect } from '../openai-chat/client.ts';
import { openaiError } from '../openai-chat/error-body.ts';

/** The responses API: as the other OpenAI APIs, except for the event that ends a stream with an error. */
export const responsesDialect = Object.freeze<Dialect>({ ...openaiDialect, errorEvent });

/**
 * Builds the API's error event (OpenAI, API reference: Responses, streaming events). Clients select events by their type. OpenAI's
 * libraries raise on `error`, which is therefore added.
 */
function errorEvent(error: GatewayError, facts: ErrorFacts): Buffer {
  const body = openaiError(error, facts);
  const { code, message, param } = body;
  return Buffer.from(`event: error\ndata: ${JSON.stringify({ type: 'error', code, message, param, error: body })}\n\n`, 'utf8');
}
