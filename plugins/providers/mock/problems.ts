import { GatewayError } from '#core/error.ts';
import type { LocalAnswer } from '#core/provider.ts';
import { checkMetadata } from '#formats/openai-objects/objects.ts';

/** Why the mock refuses a request, in the format of the API that it simulates. */
export interface Problem {
  readonly status: number;
  readonly code: string | null;
  readonly param: string | null;
  readonly message: string;
}

export const badValue = (code: string, param: string, message: string): Problem => ({ status: 400, code, param, message });

export const notFound = (code: string | null, message: string, param: string | null = null): Problem => ({
  status: 404,
  code,
  param,
  message,
});

/** A problem as an answer. */
export function refusal({ status, code, param, message }: Problem, id: string): LocalAnswer {
  const text = JSON.stringify({ error: { message, type: 'invalid_request_error', param, code } });
  return { status, headers: { 'content-type': 'application/json', 'x-request-id': `mock-${id}` }, pieces: [{ text }] };
}

/** What a field may hold: its problem, or undefined. Null is the same as absent, as it is to the API. */
export type Rule = (value: unknown, param: string) => Problem | undefined;

const typeProblem = (param: string, expected: string): Problem =>
  badValue('invalid_type', param, `Invalid type for '${param}': expected ${expected}.`);

export function text(min = 0, max = Number.POSITIVE_INFINITY): Rule {
  return (value, param) => {
    if (typeof value !== 'string') return typeProblem(param, 'a string');
    if (value.length < min) return badValue('invalid_value', param, `Invalid '${param}': it is empty.`);
    if (Array.from(value.length > max ? value : '').length <= max) return undefined;
    return badValue('string_above_max_length', param, `Invalid '${param}': string too long. Expected at most ${max} characters.`);
  };
}

export function number(min: number, max: number, isWhole = false): Rule {
  const kind = isWhole ? 'integer' : 'decimal';
  return (value, param) => {
    if (typeof value !== 'number' || (isWhole && !Number.isInteger(value))) return typeProblem(param, isWhole ? 'an integer' : 'a number');
    if (value > max)
      return badValue(`${kind}_above_max_value`, param, `Invalid '${param}': expected a value <= ${max}, but got ${value} instead.`);
    if (value < min)
      return badValue(`${kind}_below_min_value`, param, `Invalid '${param}': expected a value >= ${min}, but got ${value} instead.`);
    return undefined;
  };
}

export const whole = (min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): Rule => number(min, max, true);

export const flag: Rule = (value, param) => (typeof value === 'boolean' ? undefined : typeProblem(param, 'a boolean'));

export const object: Rule = (value, param) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : typeProblem(param, 'an object');

export function one(...values: readonly string[]): Rule {
  return (value, param) =>
    values.includes(value as string)
      ? undefined
      : badValue(
          'invalid_value',
          param,
          `Invalid value for '${param}'. Supported values are: ${values.map((known) => `'${known}'`).join(', ')}.`,
        );
}

/** A list, each row by a rule. */
export function list(row: Rule, min = 0, max = Number.POSITIVE_INFINITY): Rule {
  return (value, param) => {
    if (!Array.isArray(value)) return typeProblem(param, 'an array');
    if (value.length < min) return badValue('empty_array', param, `Invalid '${param}': it is empty.`);
    if (value.length > max) return badValue('array_above_max_length', param, `Invalid '${param}': expected at most ${max} rows.`);
    for (const [index, each] of value.entries()) {
      const problem = row(each, `${param}[${index}]`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

/** One of several forms; where none fits, the problem of the one that comes nearest is told: its type is right. */
export const either =
  (...rules: readonly Rule[]): Rule =>
  (value, param) => {
    let nearest: Problem | undefined;
    for (const rule of rules) {
      const problem = rule(value, param);
      if (problem === undefined) return undefined;
      if (nearest === undefined || isOfType(nearest, param)) nearest = problem;
    }
    return nearest;
  };

const isOfType = (problem: Problem, param: string): boolean => problem.code === 'invalid_type' && problem.param === param;

/** An object with fields of its own. */
export const shaped =
  (fields: Fields): Rule =>
  (value, param) =>
    object(value, param) ?? problemOf(value as Record<string, unknown>, fields, `${param}.`);

/** A field that has to be there. */
export interface Needed {
  readonly needed: Rule;
}

export const needed = (rule: Rule): Needed => ({ needed: rule });

export type Fields = Readonly<Record<string, Rule | Needed>>;

/** The limits of an object's metadata. */
export const metadata: Rule = (value) => {
  try {
    checkMetadata(value);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return badValue(thrown.code, thrown.param ?? 'metadata', thrown.message);
  }
};

/** The first problem of an object's fields; those without a rule may hold anything. */
export function problemOf(value: Readonly<Record<string, unknown>>, fields: Fields, at = ''): Problem | undefined {
  for (const [name, rule] of Object.entries(fields)) {
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    const param = at + name;
    if (field === undefined || field === null) {
      if (typeof rule === 'function') continue;
      return badValue('missing_required_parameter', param, `Missing required parameter: '${param}'.`);
    }
    const problem = (typeof rule === 'function' ? rule : rule.needed)(field, param);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
