export const maxCardLength = 19;

/**
 * The possible lengths of a card number that begins with these six digits, as bits. Checking the beginning first avoids
 * further work for nearly all numbers.
 */
export function cardLengths(six: number): number {
  const two = Math.trunc(six / 10_000);
  const three = Math.trunc(six / 1000);
  const four = Math.trunc(six / 100);
  switch (Math.trunc(six / 100_000)) {
    case 2:
      return (four >= 2221 && four <= 2720 ? of(16, 16) : 0) | (four >= 2200 && four <= 2204 ? of(16, 19) : 0);
    case 3:
      if (two === 34 || two === 37) return of(15, 15);
      if (two === 36 || two === 38 || two === 39 || (three >= 300 && three <= 305) || four === 3095) return of(14, 14) | of(16, 16);
      return four >= 3528 && four <= 3589 ? of(16, 19) : 0;
    case 4:
      return of(13, 13) | of(16, 16) | of(19, 19);
    case 5:
      return (
        (two >= 51 && two <= 55 ? of(16, 16) : 0) | (four === 5018 || four === 5020 || four === 5038 || four === 5893 ? of(13, 19) : 0)
      );
    case 6:
      if (four === 6304 || four === 6759 || (four >= 6761 && four <= 6763)) return of(13, 19);
      return four === 6011 || two === 65 || (three >= 644 && three <= 649) || two === 62 ? of(16, 19) : 0;
    default:
      return 0;
  }
}

function of(from: number, to: number): number {
  let bits = 0;
  for (let length = from; length <= to; length += 1) bits |= 1 << length;
  return bits;
}

/** True if the digits have the beginning, length and check digit of a card number (ISO/IEC 7812-1, Luhn). */
export const isCard = (digits: string): boolean =>
  ((cardLengths(Number(digits.slice(0, 6))) >> digits.length) & 1) === 1 && hasLuhn(digits);

function hasLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 0x30;
    const twice = digit * 2;
    sum += i % 2 === 0 ? digit : twice > 9 ? twice - 9 : twice;
  }
  return sum % 10 === 0;
}
