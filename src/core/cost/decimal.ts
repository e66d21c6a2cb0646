/** Decimal places of the smallest counted unit, 1e-12 dollars. */
const picoDigits = 12;

/**
 * Parses a decimal number to an integer in units of 1e-12: `0.15` is 150,000,000,000. Returns undefined for a negative
 * or invalid number, for more decimal places, or more than 12 digits before the point.
 */
export function parseDecimal(written: string | number): bigint | undefined {
  const text = typeof written === 'number' ? String(written) : written;
  const found = /^(\d{1,12})(?:\.(\d{1,30}))?(?:e(-?\d{1,2}))?$/i.exec(text);
  if (found === null) return undefined;
  const [, whole = '', fraction = '', exponent = '0'] = found;
  const digits = BigInt(whole + fraction);
  const shift = picoDigits - fraction.length + Number(exponent);
  if (shift > 24) return undefined;
  if (shift >= 0) return withinRange(digits * 10n ** BigInt(shift));
  const divisor = 10n ** BigInt(-shift);
  return digits % divisor === 0n ? withinRange(digits / divisor) : undefined;
}

const withinRange = (value: bigint): bigint | undefined => (value < 10n ** 24n ? value : undefined);

/** Formats an integer in units of 1e-12 as the shortest decimal: 102,000,000 is `0.000102`. */
export function decimalText(pico: number | bigint): string {
  const digits = pico.toString().padStart(picoDigits + 1, '0');
  const whole = digits.slice(0, -picoDigits);
  let end = digits.length;
  const point = digits.length - picoDigits;
  while (end > point && digits.charCodeAt(end - 1) === 0x30) end -= 1;
  return end === point ? whole : `${whole}.${digits.slice(point, end)}`;
}
