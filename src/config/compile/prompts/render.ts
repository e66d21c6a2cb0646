import { GatewayError } from '../../../core/error.ts';
import { isExactNumber, isPlain, type Plain } from '../../../core/json/merge.ts';

/** Part of a template after its partials are inserted. */
export type Part = string | Tag | readonly Part[];

/** A value, or a section with its content. `names` are the segments of a dotted name; `.` is the innermost value. */
export interface Tag {
  readonly names: readonly string[];
  readonly section: { readonly isInverted: boolean; readonly parts: readonly Part[] } | undefined;
}

/** Remaining budget of a rendering. Nested lists multiply the output and work of a small request. */
export interface Meter {
  /** Remaining characters. */
  left: number;
  readonly most: number;
  /** Remaining texts, tags and list entries. Rendering blocks the event loop. */
  steps: number;
}

/** About 100 ms of work. */
const mostSteps = 1_000_000;

export const startMeter = (most: number): Meter => ({ left: most, most, steps: mostSteps });

/** Values by name, the innermost scope last. */
type Scope = readonly unknown[];

/**
 * Renders a template to a string. A string is inserted as it is, other values as JSON, null and missing values as
 * nothing. Names match only own properties, never inherited ones.
 *
 * @throws GatewayError `body_too_large`
 */
export function render(parts: readonly Part[], values: Plain, meter: Meter): string {
  return renderIn(parts, [values], meter);
}

function renderIn(parts: readonly Part[], scope: Scope, meter: Meter): string {
  let out = '';
  for (const part of parts) {
    step(meter);
    if (typeof part === 'string') out += spent(part, meter);
    else out += isList(part) ? renderIn(part, scope, meter) : renderTag(part, scope, meter);
  }
  return out;
}

function renderTag({ names, section }: Tag, scope: Scope, meter: Meter): string {
  const value = lookUp(names, scope);
  if (section === undefined) return spent(textOf(value), meter);
  const isFalsy = !value || (isExactNumber(value) && Number(textOf(value)) === 0) || (Array.isArray(value) && value.length === 0);
  if (section.isInverted) return isFalsy ? renderIn(section.parts, scope, meter) : '';
  if (isFalsy) return '';
  if (!Array.isArray(value)) return renderIn(section.parts, value === true ? scope : [...scope, value], meter);
  let out = '';
  for (const item of value) {
    step(meter);
    out += renderIn(section.parts, [...scope, item], meter);
  }
  return out;
}

const isList = (part: Part): part is readonly Part[] => Array.isArray(part);

/** Searches the first name from the innermost scope outward, and the other names in the value found (mustache specification). */
function lookUp(names: readonly string[], scope: Scope): unknown {
  const [first = '.', ...rest] = names;
  let value: unknown;
  if (first === '.') value = scope.at(-1);
  else {
    for (let i = scope.length - 1; i >= 0; i -= 1) {
      if (!has(scope[i], first)) continue;
      value = memberOf(scope[i], first);
      break;
    }
  }
  for (const name of rest) value = has(value, name) ? memberOf(value, name) : undefined;
  return value;
}

const has = (value: unknown, name: string): boolean => (isPlain(value) || Array.isArray(value)) && Object.hasOwn(value, name);
const memberOf = (value: unknown, name: string): unknown => (value as Plain)[name];

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  try {
    return JSON.stringify(value);
  } catch (cause) {
    // The parser does not recurse and accepts nesting that `JSON.stringify` cannot write.
    throw new GatewayError('invalid_value', { message: 'A variable is nested too deeply.', param: 'variables', cause });
  }
}

function step(meter: Meter): void {
  meter.steps -= 1;
  if (meter.steps >= 0) return;
  throw new GatewayError('body_too_large', {
    message: `With these variables, the sections of the prompt repeat more than ${mostSteps} times.`,
    param: 'variables',
    hint: 'Send shorter lists: nested sections multiply them.',
  });
}

function spent(text: string, meter: Meter): string {
  spend(meter, text.length);
  return text;
}

function spend(meter: Meter, characters: number): void {
  meter.left -= characters;
  if (meter.left >= 0) return;
  throw new GatewayError('body_too_large', {
    message: `With these variables, the prompt is longer than ${meter.most} characters.`,
    param: 'variables',
    hint: 'The limit is server.max_body.',
  });
}
