import { formatAge, formatDuration, formatSize } from '../../../core/text/units.ts';

/** Formats of numbers, durations, sizes and times. Pure functions; locale and time zone are the browser's. */

const whole = new Intl.NumberFormat();
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

export const count = (n: number): string => whole.format(n);

/** `1 request`, `12,400 requests`. */
export const plural = (n: number, noun: string): string => `${count(n)} ${noun}${n === 1 ? '' : 's'}`;

/** 12,400 → 12.4K. */
export const compact = (n: number): string => (Math.abs(n) < 10_000 ? whole.format(n) : short.format(n));

export const percent = (part: number, of: number): string => {
  if (of === 0) return '0 %';
  const share = (100 * part) / of;
  if (share === 0 || share === 100) return `${share} %`;
  if (share < 0.1) return '< 0.1 %';
  if (share > 99.9) return '> 99.9 %';
  return `${share < 10 || share >= 99.5 ? share.toFixed(1) : Math.round(share)} %`;
};

/** `4.00 s` → `4 s`: no trailing zeros in labels of an axis. */
export const withoutZeros = (text: string): string =>
  text.replace(/\.(\d*?)0+(?!\d)/, (_, kept: string) => (kept === '' ? '' : `.${kept}`));

/** Milliseconds as commands show them. Null: there was none. */
export const duration = (ms: number | null): string => (ms === null ? '–' : formatDuration(ms));

/** As in settings and commands, 1 MB is 1024² bytes. */
export const bytes = formatSize;

/** Rounds an exact decimal to four significant digits without converting it to a float. Null: the price is unknown. */
export function usd(decimal: string | null): string {
  if (decimal === null) return 'unknown price';
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal);
  if (match === null) return `$${decimal}`;
  const [, sign = '', integer = '0', fraction = ''] = match;
  const digits = significant(integer, fraction, 4);
  return `${sign}$${digits}`;
}

function significant(integer: string, fraction: string, most: number): string {
  const padded = `${integer.replace(/^0+(?=\d)/, '')}.${fraction}`;
  const [left = '0', right = ''] = padded.split('.');
  if (left !== '0') return withCents(left, right);
  const lead = /^0*/.exec(right)?.[0].length ?? 0;
  if (lead === right.length) return '0';
  const rounded = (BigInt(right.padEnd(lead + most + 1, '0').slice(0, lead + most + 1)) + 5n) / 10n;
  const text = rounded.toString().padStart(lead + most, '0');
  if (text.length > lead + most) return '1';
  return `0.${text.replace(/0+$/, '')}`;
}

/** Amounts from one dollar on have two decimal places. */
function withCents(left: string, right: string): string {
  const cents = (BigInt(left) * 1000n + BigInt(right.padEnd(3, '0').slice(0, 3)) + 5n) / 10n;
  return `${whole.format(cents / 100n)}.${(cents % 100n).toString().padStart(2, '0')}`;
}

const twoDigits = (n: number): string => String(n).padStart(2, '0');

/** `09:31:07`. */
export function clock(at: number): string {
  const date = new Date(at);
  return `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}:${twoDigits(date.getSeconds())}`;
}

/** `2026-11-22`. */
export function day(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

/** `2026-11-22 09:31:07.114`. */
export const moment = (at: number): string => `${day(at)} ${clock(at)}.${String(Math.floor(at % 1000)).padStart(3, '0')}`;

/** UTC offset of the browser at a given time, as in an ISO time: `+01:00`. */
export function offset(at: number): string {
  const minutes = -new Date(at).getTimezoneOffset();
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
}

/** The same as text: `UTC+01:00`, `UTC`. */
export function zone(at: number): string {
  const text = offset(at);
  return text === '+00:00' ? 'UTC' : `UTC${text.replace('-', '−')}`;
}

const halfHourMs = 1_800_000;

/** True if the clock shows this time twice, because it is set back at the end of summer time. */
export const isRepeated = (at: number): boolean =>
  [-2, -1, 1, 2].some((shift) => clock(at + shift * halfHourMs) === clock(at) && day(at + shift * halfHourMs) === day(at));

/** `12 s ago`, `in 3 d`. */
export const ago = formatAge;
