/** Schema of `plugins:`, the chain. An item is a name, a name with options, or a file with options. */
export const pluginEntries = {
  type: 'array',
  description:
    'The chain, in order. The default is auth, virtual-key, limits, feedback, prompts, routing, models, cache, transform, fallback-retry, logging.',
  minItems: 1,
  items: {
    type: ['string', 'object'],
    minLength: 1,
    'x-form': 'a name such as auth, or a mapping with use or name',
    properties: {
      name: { type: 'string', minLength: 1, description: 'Name of a built-in plugin.', examples: ['auth'] },
      use: {
        type: 'string',
        minLength: 1,
        description: 'File of a plugin, relative to this file.',
        examples: ['./plugins/office-hours.ts'],
      },
      options: { type: 'object', description: "The plugin's own options." },
    },
    additionalProperties: false,
  },
} as const;

/** Schema of `provider_plugins:`: files with providers. */
export const providerPlugins = {
  type: 'array',
  description: 'Files with further provider types, relative to this file.',
  items: { type: 'string', minLength: 1 },
  examples: [['./acme.ts']],
} as const;
