import { GatewayError } from '../../../core/error.ts';

/**
 * Checks that each input has a vector and that each vector consists of numbers. Clients match vectors to inputs by position.
 *
 * @param inputs number of inputs; undefined if unknown
 * @param message error message if there are no vectors, with the provider's reason if it sent one
 * @throws GatewayError `upstream_invalid`
 */
export function checkVectors(
  vectors: readonly unknown[] | undefined,
  inputs: number | undefined,
  message = 'The response of the provider contains no embeddings.',
): asserts vectors is readonly (readonly number[])[] {
  if (vectors === undefined || vectors.length === 0) throw new GatewayError('upstream_invalid', { message, source: 'provider' });
  if (vectors.every(isVector) && (inputs === undefined || inputs === vectors.length)) return;
  const missing = 'The response of the provider does not have an embedding of each input.';
  throw new GatewayError('upstream_invalid', { message: missing, source: 'provider' });
}

const isVector = (vector: unknown): boolean =>
  Array.isArray(vector) && vector.length > 0 && vector.every((value) => typeof value === 'number');

/** Encodes a vector as base64 of little-endian 32-bit floats. */
export function encodeFloats(vector: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}
