import { cannotCarry } from '../request/cannot-carry.ts';

/** Types that are text by another name: the models read them as plain text. */
const textual =
  /^(?:text\/|application\/(?:json|ld\+json|xml|yaml|x-yaml|toml|javascript|x-javascript|ecmascript|typescript|x-sh|x-httpd-php|sql|graphql|x-ndjson|jsonl)$)|\+(?:json|xml)$/;

/** Office formats, which the models don't read. */
const office = /^application\/(?:msword$|vnd\.ms-(?:excel|powerpoint|word)|vnd\.openxmlformats-|vnd\.oasis\.opendocument)/;

/** Formats of `input_audio`. */
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
 * The type as the service wants to see it: parameters cut, text formats as plain text, misspellings put right.
 *
 * @throws GatewayError `unsupported_parameter` for office documents
 */
export function servedType(type: string, param: string): string {
  const bare = (type.split(';')[0] ?? '').trim().toLowerCase();
  if (bare === 'image/jpg') return 'image/jpeg';
  if (textual.test(bare)) return 'text/plain';
  if (office.test(bare)) {
    throw cannotCarry(param, `Files of type ${bare} are not read by this provider.`, 'Send the document as PDF or as plain text.');
  }
  return bare;
}

/** Media type of an `input_audio` format; a full type is taken as it is. @throws GatewayError `unsupported_parameter` */
export function audioType(format: unknown, param: string): string {
  const name = typeof format === 'string' ? format.toLowerCase() : '';
  if (Object.hasOwn(audio, name)) return audio[name] ?? '';
  if (/^audio\/[\w.+-]+$/.test(name)) return name;
  throw cannotCarry(param, `The audio format "${name}" is not known.`, `Use one of ${Object.keys(audio).join(', ')}.`);
}
