/** Decimal places used for comparing and adding: 10⁻¹² dollars. */
const decimalPlaces = 12;
const decimal = /^([+-]?)(\d{0,15})(?:\.(\d{0,100}))?$/;

/** Largest amount that the integer column of a store can hold and that sums can add up. */
const maxUnits = 10n ** 18n;

/** Like `sumUnits`, limited to what a store can hold for a record. */
export function moneyUnits(text: string): bigint | null {
  const units = sumUnits(text);
  return units === null ? null : units > maxUnits ? maxUnits : units < -maxUnits ? -maxUnits : units;
}

/** Converts an exact decimal of dollars to an integer of 10⁻¹² dollars; further digits are cut off. Null for an invalid number. */
export function sumUnits(text: string): bigint | null {
  const match = decimal.exec(text);
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = ''] = match;
  if (whole === '' && fraction === '') return null;
  const units = BigInt(whole + fraction.slice(0, decimalPlaces).padEnd(decimalPlaces, '0'));
  return sign === '-' ? -units : units;
}

/** Units as an exact decimal without trailing zeros, such as `0.000102`. */
export function moneyText(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(decimalPlaces + 1, '0');
  const fraction = digits.slice(-decimalPlaces).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -decimalPlaces)}${fraction === '' ? '' : `.${fraction}`}`;
}
