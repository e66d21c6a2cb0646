import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Provider } from '../../core/provider.ts';
import { formatPath, type Path } from '../read/node.ts';
import { providerCommon } from '../schema/catalog.ts';
import type { GatewayConfig } from '../schema/index.ts';
import { gatewaySchema, providerSchema } from '../schema/join.ts';

/** A setting that no file contains, and the value that applies instead. */
export interface DefaultValue {
  readonly path: string;
  readonly value: string;
}

/** Sections that apply completely even if no file contains them. Other mappings have defaults only where they are written. */
const alwaysInUse: ReadonlySet<string> = new Set(['server', 'logging']);

/**
 * Default values of what a configuration leaves out, from the schema. Without those of configs: a target inherits what it
 * leaves out.
 *
 * @param providers types of the entries, including those of the operator
 */
export function unsetDefaults(tree: GatewayConfig, providers: readonly Provider[]): readonly DefaultValue[] {
  const { providers: entries = {}, ...sections } = tree;
  const { properties } = gatewaySchema(providers);
  const settings = Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, schema]) =>
    name === 'providers' ? [] : defaultsOf(schema, (sections as JsonObject)[name], [name], alwaysInUse.has(name)),
  );
  const ofEntries = Object.entries(entries).flatMap(([slug, entry]) => {
    const type = providers.find((one) => one.type === entry.type || one.aliases.includes(entry.type));
    return defaultsOf(type === undefined ? providerCommon : providerSchema(type), entry, ['providers', slug], false);
  });
  return [...settings, ...ofEntries];
}

/** @param isUsed true if the defaults of a mapping apply although it is not written */
function defaultsOf(schema: unknown, value: unknown, path: Path, isUsed: boolean): DefaultValue[] {
  if (!isJsonObject(schema)) return [];
  const { default: defaultValue, properties, additionalProperties, items } = schema;
  const own = value === undefined && defaultValue !== undefined ? [{ path: formatPath(path), value: textOf(defaultValue) }] : [];
  if (Array.isArray(value)) return value.flatMap((item, i) => defaultsOf(items, item, [...path, i], false));
  const written = isJsonObject(value) ? value : undefined;
  if (written === undefined && !isUsed) return own;
  const known = isJsonObject(properties) ? properties : {};
  const others = Object.entries(written ?? {}).filter(([name]) => !Object.hasOwn(known, name) && !name.startsWith('x-'));
  return [
    ...own,
    ...Object.entries(known).flatMap(([name, one]) => defaultsOf(one, written?.[name], [...path, name], isUsed)),
    ...others.flatMap(([name, one]) => defaultsOf(additionalProperties, one, [...path, name], false)),
  ];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
