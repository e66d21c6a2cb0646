import { GatewayError } from '../../../core/error.ts';

/** A stream that ended without the end that its format has. */
export const streamInterrupted = (): GatewayError =>
  new GatewayError('stream_interrupted', { message: 'The provider closed the stream before its end.', source: 'provider' });
