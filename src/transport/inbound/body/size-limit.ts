import { GatewayError } from '../../../core/error.ts';
import { formatSize } from '../../../core/text/units.ts';

/** Maximum body size, and the setting that defines it. */
export interface SizeLimit {
  readonly bytes: number;
  readonly setting: string;
}

/** The limit for forwarded bodies. */
export const uploadLimit = (bytes: number | undefined): SizeLimit => ({
  bytes: bytes ?? Number.POSITIVE_INFINITY,
  setting: 'server.max_upload',
});

/** @param declared the declared length; undefined if the bytes were counted */
export function bodyTooLarge(limit: SizeLimit, declared: number | undefined): GatewayError {
  const what = declared === undefined ? 'The body' : `The body of ${declared} bytes`;
  return new GatewayError('body_too_large', {
    message: `${what} is larger than the limit of ${formatSize(limit.bytes)}.`,
    hint: `Send a smaller body, or raise ${limit.setting}.`,
  });
}
