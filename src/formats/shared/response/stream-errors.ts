import { GatewayError } from '../../../core/error.ts';

/** Error for a stream that ended without the end mark of its format. */
export const streamInterrupted = (): GatewayError =>
  new GatewayError('stream_interrupted', { message: 'The provider closed the stream before its end.', source: 'provider' });

/** Error for an event that cannot be read. */
export const unreadableEvent = (): GatewayError =>
  new GatewayError('upstream_invalid', { message: 'An event of the provider is not a JSON object.', source: 'provider' });
