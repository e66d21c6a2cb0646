import { GatewayError } from '#core/error.ts';
import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import { checkMetadata } from '#formats/openai-objects/objects.ts';

/** The reason why the mock rejects a request, as the simulated API would. */
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

/** Validates a field. Null means absent, as in the API. @throws Refusal */
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

export const integer = (min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): Rule => number(min, max, true);

export const boolean: Rule = (value, param) => {
  if (typeof value !== 'boolean') throw wrongType(param, 'a boolean');
};

export const object: Rule = (value, param) => {
  if (!isJsonObject(value)) throw wrongType(param, 'an object');
};

export function oneOf(...values: readonly unknown[]): Rule {
  const known = values.map((value) => `'${String(value)}'`).join(', ');
  return (value, param) => {
    if (!values.includes(value)) throw new Refusal('invalid_value', param, `Invalid value for '${param}'. Supported values are: ${known}.`);
  };
}

/** Validates a list and each of its rows. */
export function arrayOf(row: Rule, min = 0, max = Number.POSITIVE_INFINITY): Rule {
  return (value, param) => {
    if (!Array.isArray(value)) throw wrongType(param, 'an array');
    if (value.length < min) throw new Refusal('empty_array', param, `Invalid '${param}': it is empty.`);
    if (value.length > max) throw new Refusal('array_above_max_length', param, `Invalid '${param}': expected at most ${max} items.`);
    for (const [index, each] of value.entries()) row(each, `${param}[${index}]`);
  };
}

/** Accepts any of several forms. If none matches, reports the problem of the best match: the first one of the right type. */
export function anyOf(...rules: readonly Rule[]): Rule {
  return (value, param) => {
    let nearest: Refusal | undefined;
    for (const rule of rules) {
      const problem = refusalOf(() => rule(value, param));
      if (problem === undefined) return;
      if (nearest === undefined || (nearest.code === 'invalid_type' && nearest.param === param)) nearest = problem;
    }
    if (nearest !== undefined) throw nearest;
  };
}

/** Returns the refusal that a function throws, or undefined. */
function refusalOf(step: () => void): Refusal | undefined {
  try {
    step();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown;
    throw thrown;
  }
}

/** A required field. */
export interface RequiredField {
  readonly required: Rule;
}

export const required = (rule: Rule): RequiredField => ({ required: rule });

export type Fields = Readonly<Record<string, Rule | RequiredField>>;

/** Validates an object with fields. Fields without a rule may have any value. */
export const objectWith =
  (fields: Fields): Rule =>
  (value, param) => {
    object(value, param);
    checkFields(value as JsonObject, fields, `${param}.`);
  };

export function checkFields(value: JsonObject, fields: Fields, at = ''): void {
  for (const [name, rule] of Object.entries(fields)) {
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    const isRequired = typeof rule !== 'function';
    if (field !== undefined && field !== null) (isRequired ? rule.required : rule)(field, at + name);
    else if (isRequired) throw missing(at + name);
  }
}

/** Validates the limits of an object's metadata. */
export const metadata: Rule = (value) => {
  try {
    checkMetadata(value);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    throw new Refusal(thrown.code, thrown.param ?? 'metadata', thrown.message);
  }
};
