const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Span ID of the gateway: 16 hex digits derived from the random part of the request ID, so that it needs no storage. */
export const spanIdOf = (requestId: string): string => hexOf(randomBitsOf(requestId));

/** Span ID of an attempt, derived in the same way. @param index number of the attempt within the request, from 0 */
export const attemptSpanId = (requestId: string, index: number): string => hexOf(randomBitsOf(requestId) + BigInt(index + 1) * step);

/** Odd and large, so that the IDs of many attempts are far apart. */
const step = 0x9e37_79b9_7f4a_7c15n;

function randomBitsOf(requestId: string): bigint {
  let bits = 0n;
  for (const digit of requestId.slice(-13)) bits = bits * 32n + BigInt(Math.max(0, alphabet.indexOf(digit)));
  return bits;
}

function hexOf(bits: bigint): string {
  const hex = (bits & 0xffff_ffff_ffff_ffffn).toString(16).padStart(16, '0');
  return /^0+$/.test(hex) ? '0000000000000001' : hex;
}
