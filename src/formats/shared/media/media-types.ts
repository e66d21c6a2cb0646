import { unsupportedParameter } from '../request/parameter-errors.ts';

/** Media types of text formats, which the models read as plain text. */
const textual =
  /^(?:text\/|application\/(?:json|ld\+json|xml|yaml|x-yaml|toml|javascript|x-javascript|ecmascript|typescript|x-sh|x-httpd-php|sql|graphql|x-ndjson|jsonl)$)|\+(?:json|xml)$/;

/** Media types of office formats, which the models cannot read. */
const office = /^application\/(?:msword$|vnd\.ms-(?:excel|powerpoint|word)|vnd\.openxmlformats-|vnd\.oasis\.opendocument)/;

/** Media types of the formats of `input_audio`. */
const audio: Readonly<Record<string, string>> = {
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  flac: 'audio/flac',
  opus: 'audio/ogg',
  ogg: 'audio/ogg',
  pcm16: 'audio/pcm',
  aac: 'audio/aac',
  m4a: 'audio/m4a',
  webm: 'audio/webm',
};

/**
 * Normalizes a media type for the service: removes parameters, maps text formats to plain text, and corrects misspellings.
 *
 * @throws GatewayError `unsupported_parameter` for office documents
 */
export function normalizeMediaType(type: string, param: string): string {
  const bare = (type.split(';')[0] ?? '').trim().toLowerCase();
  if (bare === 'image/jpg') return 'image/jpeg';
  if (textual.test(bare)) return 'text/plain';
  if (office.test(bare)) {
    throw unsupportedParameter(param, `Files of type ${bare} are not read by this provider.`, 'Send the document as PDF or as plain text.');
  }
  return bare;
}

/** Returns the media type of an `input_audio` format; a full media type is used as it is. @throws GatewayError `unsupported_parameter` */
export function audioType(format: unknown, param: string): string {
  const name = typeof format === 'string' ? format.toLowerCase() : '';
  if (Object.hasOwn(audio, name)) return audio[name] ?? '';
  if (/^audio\/[\w.+-]+$/.test(name)) return name;
  throw unsupportedParameter(param, `The audio format "${name}" is not known.`, `Use one of ${Object.keys(audio).join(', ')}.`);
}
