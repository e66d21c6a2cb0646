import { GatewayError } from '../../../core/error.ts';
import { isExactNumber, isJsonObject, type JsonObject } from '../../../core/json/merge.ts';

/** Part of a template after its partials are inserted. */
export type Part = string | Tag | readonly Part[];

/** A value, or a section with its content. `names` are the segments of a dotted name; `.` is the innermost value. */
export interface Tag {
  readonly names: readonly string[];
  readonly section: { readonly isInverted: boolean; readonly parts: readonly Part[] } | undefined;
}

/** Remaining budget of a rendering. Nested lists multiply the output and work of a small request. */
export interface RenderBudget {
  /** Remaining characters. */
  remainingCharacters: number;
  readonly maxCharacters: number;
  /** Remaining texts, tags and list entries. Rendering blocks the event loop. */
  remainingSteps: number;
}

/** About 100 ms of work. */
const maxSteps = 1_000_000;

export const createRenderBudget = (maxCharacters: number): RenderBudget => ({
  remainingCharacters: maxCharacters,
  maxCharacters,
  remainingSteps: maxSteps,
});

/** Values by name, the innermost scope last. */
type Scope = readonly unknown[];

/**
 * Renders a template to a string. A string is inserted as it is, other values as JSON, null and missing values as
 * nothing. Names match only own properties, never inherited ones.
 *
 * @throws GatewayError `body_too_large`
 */
export function render(parts: readonly Part[], values: JsonObject, budget: RenderBudget): string {
  return renderIn(parts, [values], budget);
}

function renderIn(parts: readonly Part[], scope: Scope, budget: RenderBudget): string {
  let out = '';
  for (const part of parts) {
    countStep(budget);
    if (typeof part === 'string') out += counted(part, budget);
    else out += isList(part) ? renderIn(part, scope, budget) : renderTag(part, scope, budget);
  }
  return out;
}

function renderTag({ names, section }: Tag, scope: Scope, budget: RenderBudget): string {
  const value = lookUp(names, scope);
  if (section === undefined) return counted(textOf(value), budget);
  const isFalsy = !value || (isExactNumber(value) && Number(textOf(value)) === 0) || (Array.isArray(value) && value.length === 0);
  if (section.isInverted) return isFalsy ? renderIn(section.parts, scope, budget) : '';
  if (isFalsy) return '';
  if (!Array.isArray(value)) return renderIn(section.parts, value === true ? scope : [...scope, value], budget);
  let out = '';
  for (const item of value) {
    countStep(budget);
    out += renderIn(section.parts, [...scope, item], budget);
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
      if (!hasMember(scope[i], first)) continue;
      value = memberOf(scope[i], first);
      break;
    }
  }
  for (const name of rest) value = hasMember(value, name) ? memberOf(value, name) : undefined;
  return value;
}

const hasMember = (value: unknown, name: string): boolean => (isJsonObject(value) || Array.isArray(value)) && Object.hasOwn(value, name);
const memberOf = (value: unknown, name: string): unknown => (value as JsonObject)[name];

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

function countStep(budget: RenderBudget): void {
  budget.remainingSteps -= 1;
  if (budget.remainingSteps >= 0) return;
  throw new GatewayError('body_too_large', {
    message: `With these variables, the sections of the prompt repeat more than ${maxSteps} times.`,
    param: 'variables',
    hint: 'Send shorter lists: nested sections multiply them.',
  });
}

function counted(text: string, budget: RenderBudget): string {
  countCharacters(budget, text.length);
  return text;
}

function countCharacters(budget: RenderBudget, characters: number): void {
  budget.remainingCharacters -= characters;
  if (budget.remainingCharacters >= 0) return;
  throw new GatewayError('body_too_large', {
    message: `With these variables, the prompt is longer than ${budget.maxCharacters} characters.`,
    param: 'variables',
    hint: 'The limit is server.max_body.',
  });
}
