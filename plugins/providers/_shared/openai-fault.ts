import type { ProviderFault } from '#core/error.ts';
import { isPlain, type Plain } from '#core/merge.ts';
import { parseObject, textOf } from './json.ts';

/** Characters of a body that is no JSON which go into the message. */
const rawLimit = 500;

/** Reads an error body in the usual envelope, `{error: {message, type, param, code}}`, and its common variants. */
export function openaiFault(_status: number, body: string): ProviderFault {
  const object = parseObject(body);
  return object === undefined ? { message: plainText(body) } : faultFrom(object, body);
}

/** The fault that an object with an `error` member (or a flat one) describes. */
export function faultFrom(object: Plain, raw = ''): ProviderFault {
  const error = object['error'];
  const inner = isPlain(error) ? error : {};
  const message =
    textOf(inner['message']) ??
    textOf(object['message']) ??
    textOf(object['error_description']) ??
    textOf(error) ??
    detailOf(object) ??
    plainText(raw);
  const from = isPlain(error) ? inner : object;
  const { message: _message, code, type, param, ...extra } = inner;
  return {
    message,
    code: scalarOf(code ?? from['code']),
    type: textOf(type ?? from['type']) ?? null,
    param: textOf(param ?? from['param']) ?? null,
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** `{detail: …}` of Python services: a text, or a list of `{msg}`. */
function detailOf(object: Plain): string | undefined {
  const detail = object['detail'];
  const first: unknown = Array.isArray(detail) ? detail[0] : detail;
  return isPlain(first) ? textOf(first['msg']) : textOf(first);
}

const scalarOf = (value: unknown): string | number | null => (typeof value === 'string' || typeof value === 'number' ? value : null);

/** Text of a body that is not JSON, markup taken out, short enough for a message. */
function plainText(body: string): string {
  const head = body.slice(0, rawLimit * 4);
  const text = head
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return text === '' ? 'The provider gave no message.' : text.slice(0, rawLimit);
}
