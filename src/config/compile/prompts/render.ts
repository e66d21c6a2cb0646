import { GatewayError } from '../../../core/error.ts';
import { isExactNumber, isPlain, type Plain } from '../../../core/json/merge.ts';

/** What is left of a template when its partials stand in their places. */
export type Part = string | Tag | readonly Part[];

/** A value, or a section with what is inside. Names are those of a dotted name; `.` is the innermost value. */
export interface Tag {
  readonly names: readonly string[];
  readonly section: { readonly isInverted: boolean; readonly parts: readonly Part[] } | undefined;
}

/** How much a rendering may still produce and do: lists inside lists multiply what a small request can ask for. */
export interface Meter {
  /** Characters. */
  left: number;
  readonly most: number;
  /** Texts, tags and entries of lists: nothing else is served while they are worked off. */
  steps: number;
}

/** About a tenth of a second. */
const mostSteps = 1_000_000;

export const startMeter = (most: number): Meter => ({ left: most, most, steps: mostSteps });

/** Values by name, innermost last. */
type Scope = readonly unknown[];

/**
 * Renders a template into a text. Values are only ever text: a string as it is, anything else as its JSON text, nothing
 * for null and for what is absent. Names find own members only, never what an object inherits.
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

/** The first name is looked for from the inside out, the others below what it found (mustache specification). */
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
    // What can be read without recursion may be too deep to be written.
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
