import type { JsonBody } from '../../core/json/body.ts';
import type { Plain } from '../../core/json/merge.ts';
import { checkJson } from '../../core/json/scan.ts';

/** Numbers of 16 digits and more don't survive being read as JavaScript numbers. */
const longNumber = /\d{16}/;

/**
 * `JSON.parse` whose numbers keep their digits when they are written again. Only text that holds long numbers pays
 * for it.
 */
export function parseExact(text: string): unknown {
  checkJson(text);
  return parseCheckedExact(text);
}

/** The same for a text in which `flawOf` found nothing. */
export function parseCheckedExact(text: string): unknown {
  return longNumber.test(text) ? JSON.parse(text, keepDigits as (this: unknown, key: string, value: unknown) => unknown) : JSON.parse(text);
}

/** A top-level member of a body that goes on in another one: its numbers are written again as they came. */
export function exactMember(body: JsonBody, key: string): unknown {
  const text = textOf(body, key);
  return text === undefined ? undefined : parseCheckedExact(text);
}

/** An object that was read from a body, with one member as `exactMember` has it: the same object where its numbers are short. */
export function withExact(object: Plain, body: JsonBody, key: string): Plain {
  const text = object[key] === undefined ? undefined : textOf(body, key);
  return text === undefined || !longNumber.test(text) ? object : { ...object, [key]: parseCheckedExact(text) };
}

function textOf(body: JsonBody, key: string): string | undefined {
  for (const member of body.members()) if (member.key === key) return body.textOf(member.place);
  return undefined;
}

/** TC39 "JSON.parse source text access": what stands in the text is passed beside the value. */
function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(source);
}
