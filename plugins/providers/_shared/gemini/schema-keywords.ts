import { isPlain, type Plain } from '#core/merge.ts';

/** The types of the service's schema language (provider-a.md 5.1), in the lower case it accepts. */
export type SchemaType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';

const types: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object']);

/** What a node says about its type. */
export interface SaidTypes {
  readonly types: readonly SchemaType[];
  readonly nullable: boolean;
}

/** `type` as written, or as the other keywords tell. `null` among the types, the enum or as `const` makes it nullable. */
export function saidTypes(node: Plain): SaidTypes {
  const written = (Array.isArray(node['type']) ? (node['type'] as unknown[]) : [node['type']]).flatMap((type) =>
    typeof type === 'string' ? [type.toLowerCase()] : [],
  );
  const values = valuesOf(node);
  const nullable = node['nullable'] === true || written.includes('null') || values?.includes(null) === true || node['const'] === null;
  const known = [...new Set(written)].filter((type): type is SchemaType => types.has(type));
  return { types: known.length > 0 ? known : inferred(node, values), nullable };
}

/** The allowed values of a node, from `enum` or `const`. */
export function valuesOf(node: Plain): readonly unknown[] | undefined {
  if (Array.isArray(node['enum'])) return node['enum'] as unknown[];
  return Object.hasOwn(node, 'const') ? [node['const']] : undefined;
}

function inferred(node: Plain, values: readonly unknown[] | undefined): readonly SchemaType[] {
  if (isPlain(node['properties'])) return ['object'];
  if (node['items'] !== undefined || Array.isArray(node['prefixItems'])) return ['array'];
  const said = (values ?? []).filter((value) => value !== null);
  if (said.length === 0) return [];
  if (said.every((value) => typeof value === 'boolean')) return ['boolean'];
  if (said.every((value) => typeof value === 'number')) return said.every(Number.isInteger) ? ['integer'] : ['number'];
  return ['string'];
}

/** Keywords that hold for one type only, read for it. Anything else is unknown to the service or means nothing there. */
export function scalarKeywords(node: Plain, type: SchemaType): Plain {
  switch (type) {
    case 'string':
      return { ...stringEnum(node), ...format(node, ['date-time', 'enum']), ...counts(node, ['minLength', 'maxLength']), ...pattern(node) };
    case 'integer':
      return { ...format(node, ['int32', 'int64']), ...bounds(node, 1) };
    case 'number':
      return { ...format(node, ['float', 'double']), ...bounds(node, 0) };
    case 'array':
      return counts(node, ['minItems', 'maxItems']);
    case 'object':
      return counts(node, ['minProperties', 'maxProperties']);
    case 'boolean':
      return {};
    default:
      return type satisfies never;
  }
}

/** The service knows enums of texts only, and refuses the empty one. */
function stringEnum(node: Plain): Plain {
  const texts = valuesOf(node)?.flatMap((value) => (value === null || value === '' || typeof value === 'object' ? [] : [String(value)]));
  return texts === undefined || texts.length === 0 ? {} : { enum: [...new Set(texts)] };
}

const format = (node: Plain, known: readonly string[]): Plain =>
  typeof node['format'] === 'string' && known.includes(node['format']) ? { format: node['format'] } : {};

const pattern = (node: Plain): Plain => (typeof node['pattern'] === 'string' ? { pattern: node['pattern'] } : {});

const counts = (node: Plain, keys: readonly string[]): Plain =>
  Object.fromEntries(keys.filter((key) => Number.isInteger(node[key])).map((key) => [key, node[key]]));

/** Exclusive bounds become inclusive ones: exact for integers, by a hair wider for other numbers. */
function bounds(node: Plain, step: number): Plain {
  const out: Record<string, number> = {};
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = node;
  const low = [minimum, typeof exclusiveMinimum === 'number' ? exclusiveMinimum + step : undefined].filter((n) => typeof n === 'number');
  const high = [maximum, typeof exclusiveMaximum === 'number' ? exclusiveMaximum - step : undefined].filter((n) => typeof n === 'number');
  if (low.length > 0) out['minimum'] = Math.max(...low);
  if (high.length > 0) out['maximum'] = Math.min(...high);
  return out;
}

/** What every node may have. A `default` of null says what `nullable` says already. */
export function commonKeywords(node: Plain): Plain {
  const out: Record<string, unknown> = {};
  for (const key of ['title', 'description']) if (typeof node[key] === 'string') out[key] = node[key];
  for (const key of ['default', 'example']) if (node[key] !== undefined && node[key] !== null) out[key] = node[key];
  return out;
}
