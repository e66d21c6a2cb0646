import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';

/** The types of the service's schema language, in the lower case it accepts. */
export type SchemaType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';

const types: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object']);

/** The types of a node. */
export interface DeclaredTypes {
  readonly types: readonly SchemaType[];
  readonly nullable: boolean;
}

/** Returns the types from `type`, or derived from other keywords. `null` among the types, in the enum or as `const` makes it nullable. */
export function declaredTypes(node: JsonObject): DeclaredTypes {
  const { type } = node;
  if (typeof type === 'string' && types.has(type) && node['enum'] === undefined && node['const'] === undefined) {
    return { types: [type as SchemaType], nullable: node['nullable'] === true };
  }
  const written = (Array.isArray(node['type']) ? (node['type'] as unknown[]) : [node['type']]).flatMap((type) =>
    typeof type === 'string' ? [type.toLowerCase()] : [],
  );
  const values = valuesOf(node);
  const nullable = node['nullable'] === true || written.includes('null') || values?.includes(null) === true || node['const'] === null;
  const known = [...new Set(written)].filter((type): type is SchemaType => types.has(type));
  return { types: known.length > 0 ? known : inferred(node, values), nullable };
}

/** Returns the allowed values of a node, from `enum` or `const`. */
function valuesOf(node: JsonObject): readonly unknown[] | undefined {
  if (Array.isArray(node['enum'])) return node['enum'] as unknown[];
  return Object.hasOwn(node, 'const') ? [node['const']] : undefined;
}

function inferred(node: JsonObject, values: readonly unknown[] | undefined): readonly SchemaType[] {
  if (isJsonObject(node['properties'])) return ['object'];
  if (node['items'] !== undefined || Array.isArray(node['prefixItems'])) return ['array'];
  const nonNull = (values ?? []).filter((value) => value !== null);
  if (nonNull.length === 0) return [];
  if (nonNull.every((value) => typeof value === 'boolean')) return ['boolean'];
  if (nonNull.every((value) => typeof value === 'number')) return nonNull.every(Number.isInteger) ? ['integer'] : ['number'];
  return ['string'];
}

type Out = Record<string, unknown>;

/** Adds the keywords of one type. The service does not know other keywords, or ignores them for this type. */
export function addScalar(out: Out, node: JsonObject, type: SchemaType, lost: (keyword: string) => void): void {
  switch (type) {
    case 'string':
      addEnum(out, node, lost);
      addFormat(out, node, ['date-time', 'enum']);
      addCounts(out, node, ['minLength', 'maxLength']);
      if (typeof node['pattern'] === 'string') out['pattern'] = node['pattern'];
      return;
    case 'integer':
      addFormat(out, node, ['int32', 'int64']);
      addBounds(out, node, 1);
      return;
    case 'number':
      addFormat(out, node, ['float', 'double']);
      addBounds(out, node, 0);
      return;
    case 'array':
      addCounts(out, node, ['minItems', 'maxItems']);
      return;
    case 'object':
      addCounts(out, node, ['minProperties', 'maxProperties']);
      return;
    case 'boolean':
      return;
    default:
      return type satisfies never;
  }
}

const numeric = ['integer', 'number'] as const;

/** Keywords, and formats that the service knows, that constrain values of some types only. */
const typesOf: ReadonlyMap<unknown, readonly SchemaType[]> = new Map<unknown, readonly SchemaType[]>([
  ...['pattern', 'minLength', 'maxLength', 'date-time'].map((key) => [key, ['string']] as const),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].map((key) => [key, numeric] as const),
  ...['int32', 'int64', 'float', 'double'].map((key) => [key, numeric] as const),
  ...['minItems', 'maxItems', 'uniqueItems', 'contains', 'minContains', 'maxContains'].map((key) => [key, ['array']] as const),
  ...['minProperties', 'maxProperties', 'additionalProperties', 'patternProperties', 'propertyNames'].map(
    (key) => [key, ['object']] as const,
  ),
]);

/** A node as one of its types, without the keywords of the others. */
export function asType(node: JsonObject, type: SchemaType, types: readonly SchemaType[]): JsonObject {
  const isOfOthers = (keyword: string): boolean => {
    const own = typesOf.get(keyword === 'format' ? node['format'] : keyword);
    return own?.includes(type) === false && own.some((other) => types.includes(other));
  };
  return { ...Object.fromEntries(Object.entries(node).filter(([keyword]) => !isOfOthers(keyword))), type };
}

/** Adds the enum as strings. The service supports no other enums, and rejects the empty string. */
function addEnum(out: Out, node: JsonObject, lost: (keyword: string) => void): void {
  const values = valuesOf(node);
  if (values === undefined) return;
  const known = values.filter((value) => value !== '' && (value === null || typeof value !== 'object'));
  const texts = known.filter((value) => value !== null).map(String);
  if (texts.length === 0) return;
  out['enum'] = [...new Set(texts)];
  if (known.length < values.length) lost('enum');
}

function addFormat(out: Out, node: JsonObject, known: readonly string[]): void {
  if (typeof node['format'] === 'string' && known.includes(node['format'])) out['format'] = node['format'];
}

function addCounts(out: Out, node: JsonObject, keys: readonly string[]): void {
  for (const key of keys) if (Number.isInteger(node[key])) out[key] = node[key];
}

/** Converts exclusive bounds to inclusive ones: exact for integers, slightly wider for other numbers. */
function addBounds(out: Out, { minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonObject, step: number): void {
  if (typeof minimum === 'number') out['minimum'] = minimum;
  if (typeof maximum === 'number') out['maximum'] = maximum;
  if (typeof exclusiveMinimum === 'number')
    out['minimum'] = Math.max(exclusiveMinimum + step, typeof minimum === 'number' ? minimum : -Infinity);
  if (typeof exclusiveMaximum === 'number')
    out['maximum'] = Math.min(exclusiveMaximum - step, typeof maximum === 'number' ? maximum : Infinity);
}

/** Adds keywords that every node may have. A `default` of null is omitted, because `nullable` implies it. */
export function addCommon(out: Out, node: JsonObject): Out {
  if (typeof node['title'] === 'string') out['title'] = node['title'];
  if (typeof node['description'] === 'string') out['description'] = node['description'];
  if (node['default'] !== undefined && node['default'] !== null) out['default'] = node['default'];
  if (node['example'] !== undefined && node['example'] !== null) out['example'] = node['example'];
  return out;
}
