import type { JsonSchema } from '../../core/json/schema.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import type { Plugin } from '../../core/plugin.ts';
import type { Provider } from '../../core/provider.ts';
import { gatewaySchema, providerSchema, withNotes } from './join.ts';
import { pluginEntries } from './plugins.ts';
import { anyAuthSchema } from './provider-auth.ts';
import { virtualKey } from './catalog.ts';

/** File name for editors, and the `$id` by which other schemas refer to it. */
const id = 'gateway.schema.json';

/** Annotations for the gateway's own messages, which editors do not understand. */
const gatewayKeywords: ReadonlySet<string> = new Set(['x-form', 'x-code', 'x-range', 'x-hints', 'x-credential']);

/** JSON Schema of `gateway.yaml` for editors, with the settings of these providers and the options of these plugins. */
export function generateSchema(providers: readonly Provider[], plugins: readonly Plugin[]): JsonSchema {
  const schema = gatewaySchema(providers);
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const catalog = isJsonObject(properties['providers']) ? properties['providers'] : {};
  const virtual = isJsonObject(properties['virtual_keys']) ? properties['virtual_keys'] : {};
  const defs = isJsonObject(schema['$defs']) ? schema['$defs'] : {};
  const kinds = kindsOf(providers);
  return withoutGatewayKeywords({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: id,
    title: 'gateway.yaml',
    description: 'Configuration of the LLM gateway. Strings may contain ${env:NAME}, ${env:NAME:-default} and ${file:path}.',
    ...schema,
    properties: {
      ...properties,
      providers: { ...catalog, additionalProperties: { $ref: '#/$defs/provider' } },
      virtual_keys: { ...virtual, additionalProperties: { ...virtualKey, properties: virtualKeyProperties(providers) } },
      plugins: { ...pluginEntries, items: { ...pluginEntries.items, allOf: plugins.map(pluginRule) } },
    },
    $defs: {
      ...defs,
      provider: anyProvider(kinds),
      ...Object.fromEntries(kinds.map(({ name, schema }) => [name, schema])),
    },
  }) as JsonSchema;
}

/** Properties of a virtual key. Its type is that of another entry, so every mode of every type is listed. */
function virtualKeyProperties(providers: readonly Provider[]): Record<string, JsonSchema> {
  const { auth } = virtualKey.properties;
  return { ...virtualKey.properties, auth: { ...anyAuthSchema(providers), description: auth.description } };
}

/** Provider types that accept the same settings. */
interface Kind {
  readonly name: string;
  readonly types: string[];
  readonly schema: JsonSchema;
}

function kindsOf(providers: readonly Provider[]): readonly Kind[] {
  const kinds = new Map<string, Kind>();
  for (const one of providers) {
    const schema = providerSchema(one);
    const text = JSON.stringify(schema);
    const kind = kinds.get(text) ?? { name: `provider-${one.type}`, types: [], schema };
    kind.types.push(one.type, ...one.aliases);
    kinds.set(text, kind);
  }
  return [...kinds.values()];
}

/** Schema of an entry of `providers:`: its type decides which settings are accepted. */
function anyProvider(kinds: readonly Kind[]): JsonSchema {
  const types = kinds.flatMap((kind) => kind.types);
  return {
    type: 'object',
    required: ['type'],
    properties: { type: { type: 'string', description: 'Type of the provider.', anyOf: [{ enum: types }, { pattern: '.' }] } },
    allOf: kinds.map((kind) => ({
      if: { required: ['type'], properties: { type: { enum: kind.types } } },
      then: { $ref: `#/$defs/${kind.name}` },
    })),
  };
}

function pluginRule(plugin: Plugin): JsonSchema {
  return {
    if: { type: 'object', required: ['name'], properties: { name: { const: plugin.name } } },
    then: { properties: { options: plugin.options } },
  };
}

function withoutGatewayKeywords(schema: unknown): unknown {
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strip);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).flatMap(([key, inner]) => (gatewayKeywords.has(key) ? [] : [[key, strip(inner)]])));
  };
  return strip(withNotes(schema));
}
