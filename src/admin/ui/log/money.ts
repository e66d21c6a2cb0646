/** Decimal places that are kept. Prices of one token have at most twelve. */
const scale = 18;

/** The exact sum of decimals; unknown values are skipped. */
export function sumOf(decimals: readonly (string | null)[]): string {
  let sum = 0n;
  for (const decimal of decimals) {
    const match = decimal === null ? null : /^(\d{1,30})(?:\.(\d+))?$/.exec(decimal);
    if (match !== null) sum += BigInt((match[1] ?? '0') + (match[2] ?? '').slice(0, scale).padEnd(scale, '0'));
  }
  const text = sum.toString().padStart(scale + 1, '0');
  return `${text.slice(0, -scale)}.${text.slice(-scale)}`;
}
