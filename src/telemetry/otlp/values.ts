/**
 * OTLP in its JSON encoding (opentelemetry-proto 1.x, "JSON Protobuf Encoding"): ids in hex, 64-bit integers as strings, enums as
 * numbers.
 */

export type AnyValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly AnyValue[] } };

export interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

/** The value of an attribute; null and undefined are omitted. Numbers are counts; values with fractions are a `double`. */
export type Attribute = string | number | boolean | readonly string[] | Double | null | undefined;

type Double = Extract<AnyValue, { readonly doubleValue: number }>;

/** A time or an amount. It is a double even without a fraction, because collectors keep one type per attribute. */
export function double(doubleValue: number | null): Double | null {
  return doubleValue === null ? null : { doubleValue };
}

/** Converts attributes of a span or record. */
export function attributesOf(values: Readonly<Record<string, Attribute>>): KeyValue[] {
  const out: KeyValue[] = [];
  for (const [key, value] of Object.entries(values)) {
    if (value === null || value === undefined) continue;
    out.push({ key, value: anyValue(value) });
  }
  return out;
}

function anyValue(value: NonNullable<Attribute>): AnyValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if ('doubleValue' in value) return value;
  return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
}

/** Nanoseconds as text, because a number has too few digits for them. @param ms Unix milliseconds, with fractions */
export function nanos(ms: number, more = 0): string {
  const whole = Math.floor(ms) + Math.floor(more);
  const rest = Math.round((ms - Math.floor(ms) + more - Math.floor(more)) * 1_000_000);
  return String(whole + Math.floor(rest / 1_000_000)) + String(rest % 1_000_000).padStart(6, '0');
}
