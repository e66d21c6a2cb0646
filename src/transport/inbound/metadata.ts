import { parseJson } from '../../core/json/scan.ts';
import { GatewayError } from '../../core/error.ts';
import { fromHeader } from '../../core/http/header-text.ts';
import { isLongerThan } from '../../core/text/text-length.ts';

const none: Readonly<Record<string, string>> = Object.freeze({});
/** Maximum length of a value, in characters. */
const valueLimit = 128;

/** Parses `x-gateway-metadata`: a JSON object of short strings. @throws GatewayError `invalid_metadata` */
export function parseMetadata(text: string | undefined): Readonly<Record<string, string>> {
  if (text === undefined || text === '') return none;
  const value = parse(fromHeader(text));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidMetadata('must be a JSON object');
  for (const [key, each] of Object.entries(value)) {
    if (typeof each !== 'string') throw invalidMetadata(`"${key}" must be a string`);
    if (isLongerThan(each, valueLimit)) throw invalidMetadata(`"${key}" is longer than ${valueLimit} characters`);
  }
  return value as Record<string, string>;
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw invalidMetadata(`is not JSON: ${(error as Error).message.replace(/\.$/, '')}`);
  }
}

function invalidMetadata(what: string): GatewayError {
  return new GatewayError('invalid_metadata', {
    message: `x-gateway-metadata ${what}.`,
    param: 'x-gateway-metadata',
    hint: 'Example: x-gateway-metadata: {"team":"web"}',
  });
}
