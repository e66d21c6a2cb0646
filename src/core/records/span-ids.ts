const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The id of the gateway's own step: 16 hex digits made of the chance in the request's id, so that nothing has to be kept beside it. */
export const spanIdOf = (requestId: string): string => hexOf(chanceOf(requestId));

/** The id of one of the attempts, made in the same way. @param index counts all attempts of the request, from 0 */
export const attemptSpanId = (requestId: string, index: number): string => hexOf(chanceOf(requestId) + BigInt(index + 1) * step);

/** Odd and large, so that the ids of many attempts are far apart. */
const step = 0x9e37_79b9_7f4a_7c15n;

function chanceOf(requestId: string): bigint {
  let bits = 0n;
  for (const digit of requestId.slice(-13)) bits = bits * 32n + BigInt(Math.max(0, alphabet.indexOf(digit)));
  return bits;
}

function hexOf(bits: bigint): string {
  const hex = (bits & 0xffff_ffff_ffff_ffffn).toString(16).padStart(16, '0');
  return /^0+$/.test(hex) ? '0000000000000001' : hex;
}
