import { isJsonObject, type JsonObject } from '../../../../core/json/merge.ts';
import type { Drops } from '../../../shared/request/drops.ts';
import { objectOf } from '../../../shared/json.ts';

/** String formats that structured outputs enforce. */
const formats: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);

/** Maximum depth, more than the API accepts. Deeper levels are cut, so that no schema exhausts the stack. */
const maxDepth = 100;

/**
 * Converts a JSON Schema for structured outputs in the same way as Anthropic's own libraries: objects are closed, `oneOf` becomes
 * `anyOf`, and every keyword that the API does not enforce moves to the description, where the model reads it. These keywords are
 * reported.
 *
 * @param place prefix of their names
 */
export function strictSchema(schema: unknown, drops: Drops, place = 'response_format.json_schema.schema.', depth = 0): JsonObject {
  if (!isJsonObject(schema) || depth > maxDepth) return anyScalar;
  const rest = new Map(Object.entries(schema));
  const take = (key: string): unknown => {
    const value = rest.get(key);
    rest.delete(key);
    return value;
  };
  const inner = (value: unknown): JsonObject => strictSchema(value, drops, place, depth + 1);
  const out: Record<string, unknown> = {};
  for (const key of ['$defs', 'definitions']) if (rest.has(key)) out[key] = each(take(key), inner);
  const ref = take('$ref');
  if (ref !== undefined) {
    drops.addUnread(Object.fromEntries(rest), noNames, place, 'keywords next to $ref are not supported');
    return { ...out, $ref: ref };
  }
  take('$schema');
  const types = typesOf(take('type'), schema);
  addKind(out, types, { drops, place, rest, take, inner });
  for (const key of ['title', 'description']) if (rest.has(key)) out[key] = take(key);
  if (rest.size === 0) return out;
  for (const key of rest.keys()) drops.add(place + key, 'written into the description');
  const keywords = `{${[...rest].map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join(', ')}}`;
  const before = out['description'];
  return { ...out, description: typeof before === 'string' && before !== '' ? `${before}\n\n${keywords}` : keywords };
}

const noNames: ReadonlySet<string> = new Set();

/** A schema without a type accepts any scalar, because the API requires a type everywhere. */
const anyScalar: JsonObject = Object.freeze({ anyOf: ['string', 'number', 'boolean', 'null'].map((type) => ({ type })) });

interface SchemaNode {
  readonly drops: Drops;
  readonly place: string;
  /** Members that have not been read yet. */
  readonly rest: Map<string, unknown>;
  take(key: string): unknown;
  inner(value: unknown): JsonObject;
}

/** Writes the allowed values, the alternatives, or the type with its keywords. */
function addKind(out: Record<string, unknown>, types: readonly string[], node: SchemaNode): void {
  const { rest, take, inner } = node;
  const values = rest.get('enum');
  if (Array.isArray(values) && values.length > 0 && values.every(isScalar)) out['enum'] = take('enum');
  if (rest.has('const') && isScalar(rest.get('const'))) out['const'] = take('const');
  const hasValues = out['enum'] !== undefined || out['const'] !== undefined;
  const branches = ['anyOf', 'oneOf', 'allOf'].find((key) => Array.isArray(rest.get(key)));
  if (branches !== undefined) {
    out[branches === 'allOf' ? 'allOf' : 'anyOf'] = (take(branches) as unknown[]).map(inner);
    return;
  }
  if (hasValues) return;
  const [type, ...more] = types;
  if (type === undefined) Object.assign(out, anyScalar);
  else if (more.length === 0) addType(out, type, node);
  else if (types.some((one) => one === 'object' || one === 'array')) {
    const alternatives = types.map((one) => {
      const branch: Record<string, unknown> = {};
      addType(branch, one, { ...node, take: (key) => rest.get(key) });
      return branch;
    });
    for (const key of ['properties', 'additionalProperties', 'required', 'items', 'minItems', 'format']) take(key);
    out['anyOf'] = alternatives;
  } else out['type'] = types;
}

function addType(out: Record<string, unknown>, type: string, { rest, take, inner, drops, place }: SchemaNode): void {
  /** Copies a keyword if its value is supported. An unsupported keyword stays in `rest`, which is written into the description. */
  const keep = (key: string, isSupported: (value: unknown) => boolean): void => {
    if (!rest.has(key)) return;
    const value = take(key);
    if (isSupported(value)) out[key] = value;
    else rest.set(key, value);
  };
  out['type'] = type;
  if (type === 'object') {
    out['properties'] = each(take('properties'), inner);
    if ((take('additionalProperties') ?? false) !== false) drops.add(`${place}additionalProperties`, 'objects are closed');
    out['additionalProperties'] = false;
    if (rest.has('required')) out['required'] = take('required');
  } else if (type === 'array') {
    if (rest.has('items')) out['items'] = inner(take('items'));
    keep('minItems', (least) => least === 0 || least === 1);
  } else if (type === 'string') keep('format', (format) => formats.has(format));
}

/** Returns the types, each once, from `type` or derived from other keywords. A repeated type would double the work at every level. */
function typesOf(type: unknown, { properties, items }: JsonObject): readonly string[] {
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return [...new Set(type.filter((one) => typeof one === 'string'))];
  return isJsonObject(properties) ? ['object'] : items === undefined ? [] : ['array'];
}

const isScalar = (value: unknown): boolean => value === null || typeof value !== 'object';

/** Uses no assignment, because a property may be called __proto__. */
const each = (schemas: unknown, inner: (value: unknown) => JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(objectOf(schemas)).map(([name, schema]) => [name, inner(schema)]));
