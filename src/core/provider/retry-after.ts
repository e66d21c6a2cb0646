/** Decimal digits with an optional fraction. Sign, exponent and hexadecimal are rejected, as in RFC 9110 10.2.3. */
const decimalPattern = /^\s*\d+(?:\.\d+)?\s*$/;

/** Headers in milliseconds, the more precise ones first. */
const millisecondHeaders = ['retry-after-ms', 'x-ms-retry-after-ms'] as const;

/**
 * Returns how long a provider asks to wait, in milliseconds from `now` (Unix milliseconds); undefined if there is no
 * readable value. A date in the past gives 0.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  for (const name of millisecondHeaders) {
    const ms = milliseconds(headers[name], 1);
    if (ms !== undefined) return ms;
  }
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  const ms = milliseconds(value, 1000);
  if (ms !== undefined) return ms;
  const at = httpDate(value);
  return at === undefined ? undefined : Math.max(0, at - now);
}

/** Undefined if the value is not a number, or too large to count with. @param unit length of the header's unit in milliseconds */
function milliseconds(value: string | undefined, unit: number): number | undefined {
  if (value === undefined || !decimalPattern.test(value)) return undefined;
  const ms = Math.ceil(Number(value) * unit);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** Parses an HTTP date in any of its three forms, which all start with the name of a day. Returns Unix milliseconds. */
function httpDate(text: string): number | undefined {
  if (!/^\s*(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined;
  // The oldest form (asctime) has no zone and means GMT.
  const at = Date.parse(/GMT|UTC|[+-]\d{4}\s*$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : at;
}
