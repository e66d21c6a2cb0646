import { isAlnum } from './classes.ts';

/** Length by country (SWIFT IBAN registry). */
const lengths: Readonly<Record<string, number>> = Object.fromEntries(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 ' +
    'FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 ' +
    'MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 ' +
    'SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((row) => [row.slice(0, 2), Number(row.slice(2))]),
);

/** The offset after the IBAN that begins at `from`, grouped or not; -1 if its length or checksum is wrong. */
export function endOfIban(text: string, from: number, to: number): number {
  const length = lengths[text.slice(from, from + 2).toUpperCase()];
  if (length === undefined) return -1;
  let digits = '';
  let at = from;
  for (; digits.length < length; at += 1) {
    if (at >= to) return -1;
    const c = text.charCodeAt(at);
    if (isAlnum(c)) digits += text[at];
    else if (!isBlank(c) || isBlank(text.charCodeAt(at - 1))) {
      // The two UTF-8 bytes of a no-break space.
      if (!(c === 0xa0 && text.charCodeAt(at - 1) === 0xc2)) return -1;
    }
  }
  return !isAlnum(text.charCodeAt(at)) && remainder(digits.toUpperCase()) === 1 ? at : -1;
}

const isBlank = (c: number): boolean => c === 0x20 || c === 0x2d || c === 0xa0 || c === 0xc2;

/** ISO 7064, modulo 97, with letters as numbers from 10 on. */
function remainder(iban: string): number {
  let rest = 0;
  for (let i = 0; i < iban.length; i += 1) {
    const c = iban.charCodeAt((i + 4) % iban.length);
    rest = c > 0x39 ? (rest * 100 + c - 0x37) % 97 : (rest * 10 + c - 0x30) % 97;
  }
  return rest;
}
