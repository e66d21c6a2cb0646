import { GatewayError } from '#core/error.ts';
import { isPlain, type Plain } from '#core/json/merge.ts';
import { checkMetadata } from '#formats/openai-objects/objects.ts';

/** Why the mock rejects a request, as the API that it simulates would. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string | null;
  readonly param: string | null;

  constructor(code: string | null, param: string | null, message: string, status = 400) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = param;
  }
}

export const missing = (param: string): Refusal =>
  new Refusal('missing_required_parameter', param, `Missing required parameter: '${param}'.`);

export const wrongType = (param: string, expected: string): Refusal =>
  new Refusal('invalid_type', param, `Invalid type for '${param}': expected ${expected}.`);

/** What a field may hold. Null is the same as absent, as it is to the API. @throws Refusal */
export type Rule = (value: unknown, param: string) => void;

export function text(min = 0, max = Number.POSITIVE_INFINITY): Rule {
  return (value, param) => {
    if (typeof value !== 'string') throw wrongType(param, 'a string');
    if (value.length < min) throw new Refusal('invalid_value', param, `Invalid '${param}': it is empty.`);
    if (value.length <= max || Array.from(value).length <= max) return;
    throw new Refusal('string_above_max_length', param, `Invalid '${param}': string too long. Expected at most ${max} characters.`);
  };
}

export function number(min: number, max: number, isWhole = false): Rule {
  const kind = isWhole ? 'integer' : 'decimal';
  return (value, param) => {
    if (typeof value !== 'number' || (isWhole && !Number.isInteger(value))) throw wrongType(param, isWhole ? 'an integer' : 'a number');
    if (value >= min && value <= max) return;
    const [side, sign, bound] = value > max ? ['above_max', '<=', max] : ['below_min', '>=', min];
    throw new Refusal(`${kind}_${side}_value`, param, `Invalid '${param}': expected a value ${sign} ${bound}, but got ${value} instead.`);
  };
}

export const whole = (min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): Rule => number(min, max, true);

export const flag: Rule = (value, param) => {
  if (typeof value !== 'boolean') throw wrongType(param, 'a boolean');
};

export const object: Rule = (value, param) => {
  if (!isPlain(value)) throw wrongType(param, 'an object');
};

export function one(...values: readonly unknown[]): Rule {
  const known = values.map((value) => `'${String(value)}'`).join(', ');
  return (value, param) => {
    if (!values.includes(value)) throw new Refusal('invalid_value', param, `Invalid value for '${param}'. Supported values are: ${known}.`);
  };
}

/** A list, each row by a rule. */
export function list(row: Rule, min = 0, max = Number.POSITIVE_INFINITY): Rule {
  return (value, param) => {
    if (!Array.isArray(value)) throw wrongType(param, 'an array');
    if (value.length < min) throw new Refusal('empty_array', param, `Invalid '${param}': it is empty.`);
    if (value.length > max) throw new Refusal('array_above_max_length', param, `Invalid '${param}': expected at most ${max} rows.`);
    for (const [index, each] of value.entries()) row(each, `${param}[${index}]`);
  };
}

/** One of several forms; where none fits, the problem of the one that comes nearest is told: its type is right. */
export function either(...rules: readonly Rule[]): Rule {
  return (value, param) => {
    let nearest: Refusal | undefined;
    for (const rule of rules) {
      const problem = problemOf(() => rule(value, param));
      if (problem === undefined) return;
      if (nearest === undefined || (nearest.code === 'invalid_type' && nearest.param === param)) nearest = problem;
    }
    if (nearest !== undefined) throw nearest;
  };
}

/** The refusal that a step ends in; undefined where it has none. */
function problemOf(step: () => void): Refusal | undefined {
  try {
    step();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown;
    throw thrown;
  }
}

/** A field that has to be there. */
export interface Needed {
  readonly needed: Rule;
}

export const needed = (rule: Rule): Needed => ({ needed: rule });

export type Fields = Readonly<Record<string, Rule | Needed>>;

/** An object with fields of its own; those without a rule may hold anything. */
export const shaped =
  (fields: Fields): Rule =>
  (value, param) => {
    object(value, param);
    checkFields(value as Plain, fields, `${param}.`);
  };

export function checkFields(value: Plain, fields: Fields, at = ''): void {
  for (const [name, rule] of Object.entries(fields)) {
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    const isNeeded = typeof rule !== 'function';
    if (field !== undefined && field !== null) (isNeeded ? rule.needed : rule)(field, at + name);
    else if (isNeeded) throw missing(at + name);
  }
}

/** The limits of an object's metadata. */
export const metadata: Rule = (value) => {
  try {
    checkMetadata(value);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    throw new Refusal(thrown.code, thrown.param ?? 'metadata', thrown.message);
  }
};
