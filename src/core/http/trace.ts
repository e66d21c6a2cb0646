/** What `traceparent` says (W3C Trace Context 3.2). */
export interface TraceParent {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits: the step that sent the request. */
  readonly parentId: string;
  /** Two hex digits. */
  readonly flags: string;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const zeros = /^0+$/;

/** Reads a `traceparent`; undefined for one that is not valid, which then counts as absent (W3C Trace Context 4.3). */
export function parseTraceparent(value: string | undefined): TraceParent | undefined {
  if (value === undefined) return undefined;
  const [, version, traceId = '', parentId = '', flags = '', more] = form.exec(value) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  return zeros.test(traceId) || zeros.test(parentId) ? undefined : { traceId, parentId, flags };
}

/** `traceparent` of a step that this gateway sends. */
export const formatTraceparent = ({ traceId, flags }: TraceParent, spanId: string): string => `00-${traceId}-${spanId}-${flags}`;

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The id of the gateway's own step: 16 hex digits made of the chance in the request's id, so that nothing has to be kept beside it. */
export function spanIdOf(requestId: string): string {
  let bits = 0n;
  for (const digit of requestId.slice(-13)) bits = bits * 32n + BigInt(Math.max(0, alphabet.indexOf(digit)));
  const hex = (bits & 0xffff_ffff_ffff_ffffn).toString(16).padStart(16, '0');
  return zeros.test(hex) ? '0000000000000001' : hex;
}
