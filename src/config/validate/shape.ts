import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { isSecretName } from '../../core/secrets/credential-names.ts';
import { didYouMean } from '../../core/text/nearest.ts';
import type { JsonSchema } from '../../core/json/schema.ts';
import { shorten } from './describe.ts';
import { isWithin, type Range } from './range.ts';

/** Location where a value does not match its schema. */
export interface ShapeProblem {
  /** For example `targets[0].retry.attempts`; '' for the value itself. */
  readonly path: string;
  readonly message: string;
  readonly hint: string | undefined;
}

/** Schemas that `$ref` refers to as `#/$defs/<name>`. */
type Defs = Readonly<Record<string, JsonSchema>>;

/**
 * Checks a value against the few keywords that the schema of config objects uses, and returns the first problem. Used
 * for configs sent with requests: it is small, and the running gateway need not load and compile a validator for it.
 */
export function checkShape(value: unknown, schema: JsonSchema, defs: Defs): ShapeProblem | undefined {
  return check(value, schema, defs, '');
}

function check(value: unknown, written: JsonSchema, defs: Defs, path: string): ShapeProblem | undefined {
  const schema = resolve(written, defs);
  const alternatives = schema['anyOf'];
  if (Array.isArray(alternatives)) return checkAny(value, alternatives as JsonSchema[], defs, path);
  const mismatch = wrongType(value, schema) ?? wrongValue(value, schema);
  if (mismatch !== undefined)
    return { path, message: withValue(mismatch, value, path), hint: nearestHint(value, schema) ?? formatHint(schema) };
  if (Array.isArray(value)) return checkItems(value, schema, defs, path);
  return isJsonObject(value) ? checkMembers(value, schema, defs, path) : undefined;
}

/** The problem of the alternative whose type matches; without one, all types are named. */
function checkAny(value: unknown, schemas: readonly JsonSchema[], defs: Defs, path: string): ShapeProblem | undefined {
  const problems = schemas.map((schema) => check(value, schema, defs, path));
  if (problems.includes(undefined)) return undefined;
  const meant = schemas.findIndex((schema) => wrongType(value, schema) === undefined);
  if (meant >= 0) return problems[meant];
  const types = schemas.map((schema) => String(schema['type'])).join(' or ');
  return { path, message: withValue(`expected ${types}`, value, path), hint: undefined };
}

function resolve(schema: JsonSchema, defs: Defs): JsonSchema {
  const ref = schema['$ref'];
  return typeof ref === 'string' ? (defs[ref.replace('#/$defs/', '')] ?? {}) : schema;
}

function wrongType(value: unknown, schema: JsonSchema): string | undefined {
  const { type } = schema;
  if (type === undefined) return undefined;
  const types = (Array.isArray(type) ? type : [type]) as readonly string[];
  return types.some((one) => hasType(value, one)) ? undefined : `expected ${types.join(' or ')}`;
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'object':
      return isJsonObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

function wrongValue(value: unknown, schema: JsonSchema): string | undefined {
  const {
    enum: allowedValues,
    const: constant,
    minimum,
    maximum,
    minLength,
    maxLength,
    minItems,
    pattern,
    'x-range': range,
    'x-form': form,
  } = schema;
  if (Array.isArray(allowedValues) && !allowedValues.includes(value)) return `expected one of ${allowedValues.join(', ')}`;
  if (constant !== undefined && value !== constant) return `expected ${JSON.stringify(constant)}`;
  if (typeof value === 'number') {
    if (typeof minimum === 'number' && value < minimum) return `must be at least ${minimum}`;
    if (typeof maximum === 'number' && value > maximum) return `must be at most ${maximum}`;
  }
  if (typeof value === 'string') {
    if (typeof minLength === 'number' && value.length < minLength) return empty;
    if (typeof maxLength === 'number' && value.length > maxLength) return `must have at most ${maxLength} characters`;
    if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value))
      return `must be ${typeof form === 'string' ? form : 'in a valid format'}`;
    if (Array.isArray(range) && !isWithin(value, range as unknown as Range)) return `must be ${range.join(' to ')}`;
  }
  return Array.isArray(value) && typeof minItems === 'number' && value.length < minItems ? empty : undefined;
}

/** Adds the value found, except for keys that hold a secret. */
function withValue(wrong: string, value: unknown, path: string): string {
  if (wrong === empty) return wrong;
  if (isJsonObject(value) || Array.isArray(value)) return `${wrong}, not ${Array.isArray(value) ? 'a list' : 'an object'}`;
  const isShown = !path.split(/[.[\]]+/).some((step) => isSecretName(step));
  if (!isShown) return wrong;
  const found = JSON.stringify(value) ?? 'nothing';
  return `${wrong}, not ${found.length > maxShownLength ? `${found.slice(0, maxShownLength)}…` : found}`;
}

const empty = 'must not be empty';

/** Longest value shown in a message, in characters. */
const maxShownLength = 60;

function nearestHint(value: unknown, { enum: allowedValues }: JsonSchema): string | undefined {
  if (typeof value !== 'string' || !Array.isArray(allowedValues)) return undefined;
  return (
    didYouMean(
      value,
      allowedValues.filter((one) => typeof one === 'string'),
    ).trim() || undefined
  );
}

function formatHint(schema: JsonSchema): string | undefined {
  const form = schema['x-form'];
  return typeof form === 'string' ? `Write ${form}.` : undefined;
}

function checkItems(items: readonly unknown[], schema: JsonSchema, defs: Defs, path: string): ShapeProblem | undefined {
  if (!isJsonObject(schema['items'])) return undefined;
  for (const [i, item] of items.entries()) {
    const problem = check(item, schema['items'], defs, `${path}[${i}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function checkMembers(value: JsonObject, schema: JsonSchema, defs: Defs, path: string): ShapeProblem | undefined {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  for (const name of Array.isArray(schema['required']) ? (schema['required'] as string[]) : []) {
    if (!Object.hasOwn(value, name)) return { path, message: `needs "${name}"`, hint: undefined };
  }
  for (const [key, member] of Object.entries(value)) {
    const name = shorten(key);
    const below = path === '' ? name : `${path}.${name}`;
    const known = Object.hasOwn(properties, key) ? properties[key] : schema['additionalProperties'];
    if (known === false && !key.startsWith('x-')) {
      return { path: below, message: `unknown key "${name}"`, hint: didYouMean(key, Object.keys(properties)).trim() || undefined };
    }
    const problem = isJsonObject(known) ? check(member, known, defs, below) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}
