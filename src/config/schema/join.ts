import type { JsonSchema } from '../../core/json/schema.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import type { Provider } from '../../core/provider.ts';
import { providerCommon, virtualKey } from './catalog.ts';
import { auth, gatewayKey } from './keys.ts';
import { logging } from './logging.ts';
import { observability } from './settings/observability.ts';
import { pluginEntries, providerPlugins } from './plugins.ts';
import { pricing } from './settings/pricing.ts';
import { prompt } from './prompts.ts';
import { server } from './server/index.ts';
import { authSchema } from './provider-auth.ts';
import { plainNames, slugNames } from './shared.ts';
import { targetSettings, targetText } from './target.ts';

/** Provider settings that a config object may contain in direct mode, by key. */
export function inlineSettings(providers: readonly Provider[]): Record<string, JsonSchema> {
  const found: Record<string, JsonSchema> = {};
  for (const provider of providers) {
    const properties = isJsonObject(provider.entry.settings['properties']) ? provider.entry.settings['properties'] : {};
    for (const { setting, keys } of provider.entry.requestSettings) {
      const schema = properties[setting];
      for (const key of [setting, ...keys])
        if (!Object.hasOwn(targetSettings.properties, key)) found[key] ??= isJsonObject(schema) ? schema : {};
    }
  }
  return found;
}

/** Schemas of a config object and of the targets in it, which are mappings or short strings. */
export function targetSchemas(providers: readonly Provider[]): { config: JsonSchema; target: JsonSchema } {
  const properties = {
    ...targetSettings.properties,
    targets: {
      type: 'array',
      minItems: 1,
      items: { $ref: '#/$defs/target' },
      description: 'Where the request may go; each target may have its own strategy and targets.',
      examples: [['openai-main/gpt-4o']],
    },
    ...inlineSettings(providers),
  };
  const config = { type: 'object', properties, additionalProperties: false };
  return { config, target: { ...config, type: ['object', 'string'], ...targetText } };
}

/** Schema of an entry of `providers:` for one type: common keys and the type's own. */
export function providerSchema(provider: Provider): JsonSchema {
  const own = isJsonObject(provider.entry.settings['properties']) ? provider.entry.settings['properties'] : {};
  const required = Array.isArray(provider.entry.settings['required']) ? (provider.entry.settings['required'] as unknown[]) : [];
  return {
    ...provider.entry.settings,
    type: 'object',
    properties: { ...providerCommon.properties, auth: authSchema(provider.entry.authModes), ...own },
    required: [...providerCommon.required, ...required],
    additionalProperties: false,
  };
}

/** Schema of `gateway.yaml`. Provider entries and plugin options are left open, since each is validated separately. */
export function gatewaySchema(providers: readonly Provider[]): JsonSchema {
  const { target } = targetSchemas(providers);
  return {
    type: 'object',
    properties: {
      version: { const: 1, description: 'Version of this format.', examples: [1] },
      include: {
        type: ['string', 'array'],
        items: { type: 'string', minLength: 1 },
        description:
          'Files or globs, relative to this file. Merged by name; the same name twice is an error. Files of tests (*.test.yaml) are left out.',
        examples: [['configs/*.yaml']],
      },
      server,
      providers: {
        type: 'object',
        description: 'The model providers and their credentials. Clients write @name/model.',
        propertyNames: slugNames,
        additionalProperties: { type: 'object', required: ['type'], properties: { type: providerCommon.properties.type } },
      },
      virtual_keys: {
        type: 'object',
        description: 'Named credentials for x-gateway-virtual-key.',
        propertyNames: slugNames,
        additionalProperties: virtualKey,
      },
      api_keys: { type: 'object', description: 'Who may call the gateway.', propertyNames: plainNames, additionalProperties: gatewayKey },
      auth,
      configs: {
        type: 'object',
        description: 'Named configs for x-gateway-config.',
        propertyNames: plainNames,
        // The same schema as for a target, so that it is compiled once. Only the short string is not a config.
        additionalProperties: { $ref: '#/$defs/target', type: 'object' },
      },
      prompts: {
        type: 'object',
        description: 'Stored prompts for /v1/prompts/{id}/completions.',
        propertyNames: plainNames,
        additionalProperties: prompt,
      },
      pricing: {
        type: 'object',
        description: 'Prices by provider/model, type/model or model, as globs; instead of those that come with the gateway.',
        propertyNames: { type: 'string', minLength: 1, maxLength: 256 },
        additionalProperties: pricing,
        examples: [{ 'azure-eu/gpt-4o-mini': { input: 0.15, cached_input: 0.075, output: 0.6 } }],
      },
      plugins: pluginEntries,
      provider_plugins: providerPlugins,
      logging,
      observability,
    },
    required: ['version'],
    additionalProperties: false,
    $defs: { target },
  };
}

/** Allows keys that start with `x-` in every closed mapping, for notes and anchors. */
export function withNotes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNotes);
  if (!isJsonObject(schema)) return schema;
  const out = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, key === 'examples' || key === 'default' ? value : withNotes(value)]),
  );
  if (schema['additionalProperties'] === false && isJsonObject(schema['properties'])) {
    out['patternProperties'] = { ...(isJsonObject(schema['patternProperties']) ? schema['patternProperties'] : {}), '^x-': {} };
  }
  return out;
}
