import { GatewayError } from '../../../core/error.ts';

/** Error for a stream that ended without the end mark of its format. */
export const streamInterrupted = (): GatewayError =>
  new GatewayError('stream_interrupted', { message: 'The provider closed the stream before its end.', source: 'provider' });
