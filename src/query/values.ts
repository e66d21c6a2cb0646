import type { Field } from './fields.ts';
import { type Comparison, maxWildcards, type Test, FilterSyntaxError } from './filter.ts';
import { booleanIn } from '../core/text/boolean-text.ts';
import { moneyUnits } from './money.ts';
import type { RawValue } from './scan.ts';
import { toStorable } from './text.ts';

const comparison = /^(>=|<=|>|<|=)/;
const amount = /^(-?\d{1,18}(?:\.\d{1,18})?)([a-z]*)$/i;
const durations: Readonly<Record<string, number>> = { '': 1, ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 };
const counts: Readonly<Record<string, number>> = { '': 1, k: 1000, m: 1_000_000 };

/** Parses a value of a field. */
export function readTest(field: Field, raw: RawValue): Test {
  const isWild = raw.parts.length > 1;
  if (raw.parts.length > maxWildcards + 1) throw new FilterSyntaxError(`A value has at most ${maxWildcards} wildcards.`, raw);
  if (isWild && raw.parts.every((part) => part === '')) return { kind: 'some' };
  const written = raw.parts.join('*');
  if (written === '' && raw.quoted) return { kind: 'none' };
  if (written === '') throw new FilterSyntaxError(`"${field.name}" needs a value.`, raw, exampleOf(field));
  if (field.type === 'text') return readText(field, raw);
  if (isWild) throw new FilterSyntaxError(`"${field.name}" accepts no wildcard other than a single *.`, raw, exampleOf(field));
  return field.type === 'boolean' ? readBoolean(field, raw, written) : readAmount(field, raw, written);
}

function readText(field: Field, raw: RawValue): Test {
  const first = raw.parts[0] ?? '';
  const sign = raw.quoted ? null : comparison.exec(first);
  if (sign !== null) {
    throw new FilterSyntaxError(
      `"${field.name}" is a text: ${sign[0]} compares numbers.`,
      raw,
      'Put a text that begins with this sign in quotes.',
    );
  }
  return raw.parts.length === 1 ? { kind: 'equal', value: toStorable(first) } : { kind: 'like', parts: raw.parts.map(toStorable) };
}

function readBoolean(field: Field, raw: RawValue, written: string): Test {
  const value = booleanIn(written);
  if (value === undefined)
    throw new FilterSyntaxError(`"${field.name}" is true or false, not "${abbreviated(written)}".`, raw, exampleOf(field));
  return { kind: 'equal', value };
}

function readAmount(field: Field, raw: RawValue, written: string): Test {
  const sign = raw.quoted ? '' : (comparison.exec(written)?.[0] ?? '');
  const rest = written.slice(sign.length);
  const statusClass = field.name === 'status' && sign === '' ? /^([1-9])xx$/i.exec(rest) : null;
  if (statusClass !== null) return { kind: 'range', from: Number(statusClass[1]) * 100, to: (Number(statusClass[1]) + 1) * 100 };
  const value =
    field.type === 'money' ? moneyUnits(rest.replace(/^\$/, '')) : numberIn(rest, field.type === 'duration' ? durations : counts);
  if (value === null) {
    const what = { duration: 'a duration', money: 'an amount of dollars' }[field.type as string] ?? 'a number';
    throw new FilterSyntaxError(`"${field.name}" is ${what}, not "${abbreviated(rest)}".`, raw, exampleOf(field));
  }
  return sign === '' || sign === '=' ? { kind: 'equal', value } : { kind: 'compare', by: sign as Comparison, value };
}

function numberIn(text: string, units: Readonly<Record<string, number>>): number | null {
  const match = amount.exec(text);
  const unit = (match?.[2] ?? '').toLowerCase();
  if (match === null || !Object.hasOwn(units, unit)) return null;
  const factor = units[unit] ?? 1;
  // Removes floating-point errors: 1.001 × 1000 is 1000.9999999999999.
  return factor === 1 ? Number(match[1]) : Number((Number(match[1]) * factor).toPrecision(15));
}

const iso = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2}(?:\.\d{1,3})?))?)?(Z|[+-]\d{2}:\d{2})?$/i;

/** Largest time that a `Date` can represent; times of rows are smaller. */
const latest = 8.64e15;

/** Parses a time to Unix milliseconds: a duration before `now`, or an ISO time, in UTC if it has no zone. */
export function readTime(field: Field, raw: RawValue, now: number): number {
  const written = raw.parts.join('*');
  const at = timeIn(written, now);
  if (at === undefined || !Number.isFinite(at)) {
    const hint = 'Examples: since:1h, until:30m, since:2026-11-21, since:2026-11-21T09:31Z, since:2026-11-21T09:31+01:00.';
    throw new FilterSyntaxError(written === '' ? `"${field.name}" needs a value.` : `"${abbreviated(written)}" is not a time.`, raw, hint);
  }
  return Math.min(latest, Math.max(-latest, at));
}

function timeIn(written: string, now: number): number | undefined {
  if (/^\d{13}$/.test(written)) return Number(written);
  // A minus sign, which other tools write for "ago", would mean a time in the future: no request would ever match.
  const ago = /^\d.*[a-z]$/i.test(written) && !/[tz]/i.test(written) ? numberIn(written, durations) : null;
  if (ago !== null) return Math.round(now - ago);
  const match = iso.exec(written);
  if (match === null) return undefined;
  const [, day = '', minute = '00:00', second = '00', zone = 'Z'] = match;
  const local = `${day}T${minute}:${second}`;
  // `Date` would turn a day that the month does not have into one of the next month.
  const isReal = new Date(`${local}Z`).getTime() >= 0 && new Date(`${local}Z`).toISOString().startsWith(`${day}T${minute}`);
  return isReal ? Date.parse(local + zone.toUpperCase()) : undefined;
}

const exampleOf = (field: Field): string => `Example: ${field.name.replace('*', 'name')}:${field.example.split(',')[0]}.`;

function abbreviated(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
