import { fromUnknown, GatewayError } from '../../../core/error.ts';
import { formatSize } from '../../../core/text/units.ts';
import { decode, DecodeFault, isDecodable, knownCodings } from '../../wire/decode.ts';

/** Returns the error for a `content-encoding` that cannot be decoded; undefined if it can. */
export function unsupportedEncoding(codings: readonly string[]): GatewayError | undefined {
  if (isDecodable(codings)) return undefined;
  return new GatewayError('unsupported_content_encoding', {
    message: `The body has the content-encoding "${codings.join(', ').slice(0, 100)}", which the gateway does not support.`,
    param: 'content-encoding',
    hint: `Send the body uncompressed, or with one of ${knownCodings.join(', ')}.`,
  });
}

/** Forms are parsed while they arrive, so compressed ones are not supported. */
export function encodedFormFault(codings: readonly string[]): GatewayError | undefined {
  if (codings.length === 0) return undefined;
  return new GatewayError('unsupported_content_encoding', {
    message: `The form has the content-encoding "${codings.join(', ').slice(0, 100)}", which the gateway does not support for forms.`,
    param: 'content-encoding',
    hint: 'Send the form without a content-encoding.',
  });
}

/**
 * Decompresses a body, up to `maxBody` bytes.
 *
 * @param onOutput called with the size of each piece of output; an error thrown by it aborts decompression
 */
export async function decompressBody(
  bytes: Buffer,
  codings: readonly string[],
  maxBody: number,
  onOutput: (bytes: number) => void,
): Promise<Buffer | GatewayError> {
  try {
    return await decode(bytes, codings, maxBody, onOutput);
  } catch (thrown) {
    if (!(thrown instanceof DecodeFault)) return fromUnknown(thrown);
    if (thrown.kind === 'too-large') {
      return new GatewayError('body_too_large', {
        message: `The body is larger than the limit of ${formatSize(maxBody)} when it is decompressed (${thrown.coding}).`,
        hint: 'Send a smaller body, or raise server.max_body.',
      });
    }
    return new GatewayError('invalid_json', {
      message: `The body is not JSON: its bytes are not ${thrown.coding}, although its content-encoding says so.`,
      param: 'content-encoding',
      hint: 'Compress the body as the header says, or remove the header.',
      cause: thrown,
    });
  }
}
