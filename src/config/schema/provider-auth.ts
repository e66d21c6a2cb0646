import type { JsonSchema } from '../../core/json/schema.ts';
import type { AuthMode, Provider, ProviderEntry } from '../../core/provider.ts';
import { apiKey } from './shared.ts';

/** Words after `auth.mode` that every type takes. */
const commonModes: Readonly<Record<string, string>> = {
  api_key: "with the provider's own key",
  caller: 'with the credential that the caller sends',
};

/** A mode of a type by any of its words, with the word that we print. */
export function authModeOf(provider: Provider, word: unknown): { readonly name: string; readonly mode: AuthMode } | undefined {
  const found = Object.entries(provider.entry.authModes ?? {}).find(
    ([name, { aliases }]) => name === word || aliases.includes(String(word)),
  );
  return found === undefined ? undefined : { name: found[0], mode: found[1] };
}

/** `auth:` of an entry: the common part, and the type's own modes with their keys. */
export function authSchema(own: ProviderEntry['authModes'] = {}): JsonSchema {
  const modes = Object.entries(own);
  const about = [...Object.entries(commonModes), ...modes.map(([name, mode]) => [name, mode.about] as const)];
  const rules = modes.map(([name, mode]) => modeRule([name, ...mode.aliases], mode));
  return {
    type: 'object',
    description: 'How requests authenticate.',
    properties: {
      mode: {
        type: 'string',
        enum: [...Object.keys(commonModes), ...modes.flatMap(([name, { aliases }]) => [name, ...aliases])],
        description: `${about.map(([name, words]) => `${name}: ${words}`).join('; ')}.`,
      },
      api_key: apiKey,
      ...keysOf(modes.map(([, mode]) => mode)),
    },
    additionalProperties: false,
    ...(rules.length === 0 ? {} : { allOf: rules }),
  };
}

/** `auth:` where the type is not known: every mode of these types, whose needs are left to the check. */
export function anyAuthSchema(providers: readonly Provider[]): JsonSchema {
  const { allOf: _rules, ...open } = authSchema(
    Object.assign({}, ...providers.map(({ entry }) => entry.authModes)) as ProviderEntry['authModes'],
  );
  return open;
}

/** The keys of all modes in the order of the modes; one that several take is described as the first of them does. */
function keysOf(modes: readonly AuthMode[]): Record<string, JsonSchema> {
  const keys: Record<string, JsonSchema> = {};
  for (const { properties } of modes) for (const [key, schema] of Object.entries(properties)) keys[key] ??= schema;
  return keys;
}

/** What a mode needs; what it does not take is told by a check, in words of its own. */
function modeRule(words: readonly string[], { properties, required }: AuthMode): JsonSchema {
  return { if: { required: ['mode'], properties: { mode: { enum: words } } }, then: { properties, required } };
}
