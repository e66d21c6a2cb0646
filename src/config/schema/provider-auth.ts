import type { JsonSchema } from '../../core/json/schema.ts';
import type { AuthMode, Provider, ProviderEntry } from '../../core/provider.ts';
import { apiKey } from './shared.ts';

/** Values of `auth.mode` that all types accept. */
const commonModes: Readonly<Record<string, string>> = {
  api_key: "with the provider's own key",
  caller: 'with the credential that the caller sends',
};

/** A mode of a type by its name or an alias, with its canonical name. */
export function authModeOf(provider: Provider, value: unknown): { readonly name: string; readonly mode: AuthMode } | undefined {
  const found = Object.entries(provider.entry.authModes ?? {}).find(
    ([name, { aliases }]) => name === value || aliases.includes(String(value)),
  );
  return found === undefined ? undefined : { name: found[0], mode: found[1] };
}

/** Schema of `auth:` in an entry: the common part, and the type's own modes with their keys. */
export function authSchema(authModes: ProviderEntry['authModes'] = {}): JsonSchema {
  const modes = Object.entries(authModes);
  const about = [...Object.entries(commonModes), ...modes.map(([name, mode]) => [name, mode.about] as const)];
  const rules = modes.map(([name, mode]) => modeRule([name, ...mode.aliases], mode));
  return {
    type: 'object',
    description: 'How requests authenticate.',
    properties: {
      mode: {
        type: 'string',
        enum: [...Object.keys(commonModes), ...modes.flatMap(([name, { aliases }]) => [name, ...aliases])],
        description: `${about.map(([name, text]) => `${name}: ${text}`).join('; ')}.`,
      },
      api_key: apiKey,
      ...keysOf(modes.map(([, mode]) => mode)),
    },
    additionalProperties: false,
    ...(rules.length === 0 ? {} : { allOf: rules }),
  };
}

/** Schema of `auth:` for an unknown type: every mode of these types. Their required keys are left to the checks. */
export function anyAuthSchema(providers: readonly Provider[]): JsonSchema {
  const { allOf: _rules, ...open } = authSchema(
    Object.assign({}, ...providers.map(({ entry }) => entry.authModes)) as ProviderEntry['authModes'],
  );
  return open;
}

/** Keys of all modes, in the order of the modes. A key that several modes share has the description of the first. */
function keysOf(modes: readonly AuthMode[]): Record<string, JsonSchema> {
  const keys: Record<string, JsonSchema> = {};
  for (const { properties } of modes) for (const [key, schema] of Object.entries(properties)) keys[key] ??= schema;
  return keys;
}

/** Rule for the keys that a mode needs. Keys that it does not accept are reported by a check. */
function modeRule(names: readonly string[], { properties, required }: AuthMode): JsonSchema {
  return { if: { required: ['mode'], properties: { mode: { enum: names } } }, then: { properties, required } };
}
