import type { ProviderFault } from '../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { isErrorStatus } from '../../core/http/status.ts';
import { googleFault, googleFaultInBand, isGoogleStatus } from '../shared/google-status.ts';
import { isSet, parseObject, stringOf, textOf } from '../shared/json.ts';

/** Maximum length of the message made from a body that is not JSON, in characters. */
const rawLimit = 500;

/** Reads an error body in the usual envelope, `{error: {message, type, param, code}}`, and its common variants. */
export function openaiFault(_status: number, body: string): ProviderFault {
  const object = objectIn(body);
  return object === undefined ? { message: plainText(body) } : faultFrom(object, body);
}

/** Parses a JSON object, or the first object of a list, because some services wrap the object in a list. */
export function objectIn(text: string): JsonObject | undefined {
  if (!text.startsWith('[')) return parseObject(text);
  const list = parseObject(`{"list":${text}}`)?.['list'];
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  return isJsonObject(first) ? first : undefined;
}

/**
 * Places where services of this format put the error message. The first one that is a non-empty text is used.
 *
 * - `error.…`: OpenAI's envelope
 * - top-level `message`: Cerebras, Mistral, vLLM; `message.detail`: Mistral's 422
 * - `error` as a text: xAI, Hugging Face, LM Studio
 * - `detail`, a text or a list of `{msg}`: services in Python, NVIDIA, whose `title` is less specific
 */
const messages = [
  'error.message',
  'message',
  'message.detail.0.msg',
  'error_description',
  'error',
  'detail',
  'detail.msg',
  'detail.0',
  'detail.0.msg',
  'title',
] as const;

/**
 * Reads the fault from an object with an `error` member, or from a flat error object.
 *
 * @param raw the text that was parsed: the message, if the object has none
 */
export function faultFrom(object: JsonObject, raw: string): ProviderFault {
  const error = object['error'];
  if (isGoogleStatus(error)) return googleFault(error);
  // With an envelope, code, type and param are read from the envelope only. The message may also be next to it.
  const { message: _message, code, type, param, ...more } = isJsonObject(error) ? error : object;
  const fault: ProviderFault = {
    message: textAt(object, messages) ?? plainText(raw),
    code: scalarOf(code),
    type: textOf(type) ?? null,
    param: textOf(param) ?? null,
    ...(isJsonObject(error) && Object.keys(more).length > 0 ? { extra: more } : {}),
  };
  if (permanent.has(fault.code ?? '') || permanent.has(fault.type ?? '')) return { ...fault, isPermanent: true };
  return isOfOtherAccount(fault) ? { ...fault, isOfOtherAccount: true } : fault;
}

/** Codes for state that an account does not have (OpenAI API, Responses, `previous_response_id` and `reasoning.encrypted_content`). */
const otherAccountCodes: ReadonlySet<string | number> = new Set(['previous_response_not_found', 'invalid_encrypted_content']);

/** A conversation or an item that the account does not have is reported without a code. */
const isOfOtherAccount = ({ code, message }: ProviderFault): boolean =>
  otherAccountCodes.has(code ?? '') || (code === null && /^(?:Conversation|Item) with id '[^']*' not found/.test(message));

/** Returns the first non-empty text at one of these paths. */
function textAt(object: JsonObject, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const text = textOf(valueAt(object, path));
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Returns the value at a path of member names and list indexes. */
function valueAt(object: JsonObject, path: string): unknown {
  let value: unknown = object;
  for (const step of path.split('.')) {
    if (Array.isArray(value)) value = (value as unknown[])[Number(step)];
    else if (isJsonObject(value)) value = value[step];
    else return undefined;
  }
  return value;
}

/**
 * Reads an error object under status 200, alone or as a stream event, and adds the HTTP status that belongs to its code or type
 * in this format.
 */
export function faultInBand(object: JsonObject | undefined, raw: string): ProviderFault {
  const error = object?.['error'];
  if (isGoogleStatus(error)) return googleFaultInBand(error);
  const fault = faultFrom(object ?? {}, raw);
  const number = Number(fault.code);
  const status = isErrorStatus(number) ? number : (statuses.get(fault.code ?? '') ?? statuses.get(fault.type ?? ''));
  // A flat event has its event name in `type`, which is not an error type.
  return { ...fault, type: fault.type === 'error' ? null : (fault.type ?? null), status };
}

/**
 * True for an error object in which the message is not inside an `error` member: Mistral, Cerebras, vLLM. Clients of streams do not
 * recognize it.
 */
export const isFlatError = (object: JsonObject): boolean =>
  textOf(object['message']) !== undefined &&
  object['choices'] === undefined &&
  (object['object'] === 'error' || isSet(object['code']) || /error/i.test(stringOf(object['type'])));

/** Finish reasons for a response that was cut off by an error: Mistral, OpenRouter; DeepSeek; Z.AI. */
const faultyFinishes: ReadonlySet<string> = new Set(['error', 'insufficient_system_resource', 'network_error']);

/**
 * Reads the failure of a choice from its finish reason. OpenRouter adds an error object to the choice; without one, the
 * message names the finish reason.
 */
export function faultInChoice({ finish_reason: reason, error }: JsonObject): ProviderFault | undefined {
  if (typeof reason !== 'string' || !faultyFinishes.has(reason)) return undefined;
  if (isJsonObject(error)) {
    const fault = faultInBand({ error }, '');
    return { ...fault, status: fault.status ?? 502 };
  }
  return { message: `The provider ended its response with "${reason}".`, code: reason, type: 'api_error', param: null, status: 502 };
}

/** Codes of `response.failed` for an image in the request (OpenAI API, `ResponseErrorCode`). */
const imageCodes = [
  'invalid_image',
  'invalid_image_format',
  'invalid_base64_image',
  'invalid_image_url',
  'image_too_large',
  'image_too_small',
  'image_parse_error',
  'image_content_policy_violation',
  'invalid_image_mode',
  'image_file_too_large',
  'unsupported_image_media_type',
  'empty_image_file',
  'failed_to_download_image',
  'image_file_not_found',
] as const;

/** HTTP status of the codes and types of the OpenAI APIs, and of services that follow them. */
const statuses: ReadonlyMap<string | number, number> = new Map([
  ['invalid_request_error', 400],
  ['invalid_prompt', 400],
  ['context_length_exceeded', 400],
  ['content_filter', 400],
  ['content_policy_violation', 400],
  // The safety system rejected the prompt of an image.
  ['moderation_blocked', 400],
  ['image_generation_user_error', 400],
  ...imageCodes.map((code) => [code, 400] as const),
  ['BadRequestError', 400],
  ['authentication_error', 401],
  ['invalid_api_key', 401],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['model_not_found', 404],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['insufficient_quota', 429],
  ['requests', 429],
  ['tokens', 429],
  ['server_error', 500],
  ['api_error', 500],
  ['InternalServerError', 500],
  ['server_is_overloaded', 503],
  ['slow_down', 503],
  ['service_unavailable_error', 503],
  ['overloaded_error', 529],
]);

/**
 * Codes and types sent with 429 for which a retry does not help until the account is paid: OpenAI API, error codes; Moonshot AI,
 * error codes (`type`); Z.AI, error codes (1113: the account is in arrears).
 */
const permanent: ReadonlySet<string | number> = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
  'exceeded_current_quota_error',
  '1113',
]);

const scalarOf = (value: unknown): string | number | null => (typeof value === 'string' || typeof value === 'number' ? value : null);

/** Converts a body that is not JSON to text without markup, short enough for a message. */
function plainText(body: string): string {
  const head = body.slice(0, rawLimit * 4);
  const text = head
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return text === '' ? 'The provider sent no error message.' : text.slice(0, rawLimit);
}
