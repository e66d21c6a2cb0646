import { fromUnknown } from '#core/error.ts';
import type { LineEdit } from '#core/http/form.ts';
import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import type { Call } from '#core/provider.ts';
import { fromMessage } from '#formats/anthropic-messages/response/result.ts';
import { fromEmbeddings } from '#formats/google-generate/embeddings.ts';
import { parsedAnswer } from '#formats/google-generate/response/parse.ts';
import { fromGenerateContent } from '#formats/google-generate/response/result.ts';
import { objectOf, parseObject, textOf } from '#formats/shared/json.ts';
import { unixSeconds } from '#formats/openai-objects/objects.ts';
import type { OutputKind } from './kind.ts';

/** Members of the reading call that the conversion needs. */
export type OutputCall = Pick<Call, 'strict' | 'id' | 'createdAt'>;

/**
 * Converts output rows of a batch to OpenAI's lines. A row that failed or cannot be parsed becomes a line with an error; it never
 * breaks the file.
 */
export const outputLines =
  (kind: OutputKind, call: OutputCall): LineEdit =>
  (text, index) =>
    text.trim() === '' ? undefined : JSON.stringify(lineOf(text, index, { kind, call }));

interface LineContext {
  readonly kind: OutputKind;
  readonly call: OutputCall;
}

function lineOf(text: string, index: number, context: LineContext): JsonObject {
  const row = parsedAnswer(text);
  const id = `batch_req_${context.call.id}_${index}`;
  if (!isJsonObject(row)) return failed(id, null, { code: 'upstream_invalid', message: 'A row of the output is not a JSON object.' });
  const customId = customIdOf(row);
  const fault = faultOf(row);
  if (fault !== undefined) return failed(id, customId, fault);
  try {
    const response = objectOf(row['response']);
    // Rows of open models have OpenAI's batch format; their responses may have it too.
    if (isLineResponse(response)) return { id, custom_id: customId, response, error: null };
    const requestId = textOf(response['responseId']) ?? textOf(response['id']) ?? id;
    return {
      id,
      custom_id: customId,
      response: { status_code: 200, request_id: requestId, body: bodyOf(row, index, context) },
      error: null,
    };
  } catch (thrown) {
    const { code, message } = fromUnknown(thrown);
    return failed(id, customId, code === 'internal' ? unreadable : { code, message });
  }
}

const isLineResponse = (response: JsonObject): boolean => typeof response['status_code'] === 'number' && isJsonObject(response['body']);

const unreadable = { code: 'upstream_invalid', message: 'A response in the output could not be converted.' };

interface RowFault {
  readonly code: string;
  readonly message: string;
}

const failed = (id: string, customId: string | null, error: RowFault): JsonObject => ({ id, custom_id: customId, response: null, error });

/** Returns the client's id, from the field of the row's kind, or from the field that the service does not send to the model. */
function customIdOf(row: JsonObject): string | null {
  const instance = objectOf(row['instance']);
  const found = [row['custom_id'], row['requestId'], row['key'], instance['requestId'], instance['key']].find(
    (id) => typeof id === 'string' && id !== '',
  );
  return typeof found === 'string' ? found : null;
}

/** A non-empty status is an error, as text or as JSON. An empty response is an error too. */
function faultOf(row: JsonObject): RowFault | undefined {
  const status = textOf(row['status']);
  const { response } = row;
  const inner = isJsonObject(response) ? response['error'] : undefined;
  const reportedError = isJsonObject(row['error']) ? row['error'] : isJsonObject(inner) ? inner : undefined;
  if (reportedError !== undefined) return errorOf(reportedError);
  if (status !== undefined) {
    const parsed = parseObject(status);
    const error = isJsonObject(parsed?.['error']) ? parsed['error'] : parsed;
    return error === undefined ? { code: 'provider_error', message: status } : errorOf(error, status);
  }
  const isEmpty = (!isJsonObject(response) || Object.keys(response).length === 0) && row['predictions'] === undefined;
  return isEmpty ? { code: 'provider_error', message: 'The provider returned no response to this request.' } : undefined;
}

function errorOf(error: JsonObject, raw = 'The provider sent no error message.'): RowFault {
  const { status, type, code, message } = error;
  const errorCode = textOf(status) ?? textOf(type) ?? (typeof code === 'number' ? String(code) : textOf(code));
  return { code: errorCode ?? 'provider_error', message: textOf(message) ?? raw };
}

function bodyOf(row: JsonObject, index: number, { kind, call }: LineContext): unknown {
  const { response } = row;
  if (kind.endpoint === '/v1/embeddings') {
    return fromEmbeddings(JSON.stringify(isJsonObject(response) ? response : { predictions: row['predictions'] }), kind.model, false);
  }
  if (!isJsonObject(response) || kind.endpoint === '/v1/messages') return response;
  const createdAt = unixSeconds(response['createTime']) ?? unixSeconds(row['processed_time']) ?? call.createdAt;
  const conversionCall = { model: kind.model, strict: call.strict, id: `${call.id}-${index}`, createdAt };
  if (response['type'] === 'message') return fromMessage('', conversionCall, response);
  // Responses of open models already have the client's own format.
  return Array.isArray(response['choices']) ? response : fromGenerateContent('', conversionCall, response);
}
