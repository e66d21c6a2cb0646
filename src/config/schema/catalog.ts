import { apiKey, customHost, description, metadata, timeouts } from './shared.ts';

/** `auth:` as every type takes it; a type's own modes and their keys are joined in. */
const openAuth = {
  type: 'object',
  description: 'How requests are signed.',
  properties: {
    mode: {
      type: 'string',
      description:
        "api_key: with the key of this entry; caller: with the credential that the caller's request brings; or a mode of the type.",
    },
    api_key: apiKey,
  },
} as const;

/** Keys that every entry of `providers:` has; the type's own settings are joined in. */
export const providerCommon = {
  type: 'object',
  properties: {
    type: { type: 'string', description: 'Which kind of provider this is.', examples: ['openai'] },
    name: { type: 'string', description: 'A name for people.' },
    description,
    enabled: { type: 'boolean', description: 'false: requests for it are refused, its secrets may be unset.', default: true },
    api_key: apiKey,
    auth: openAuth,
    custom_host: customHost,
    allow_custom_host: {
      type: 'array',
      description: 'Hosts ("host" or "*.suffix") that a request may choose although it then gets the credential of this entry.',
      items: {
        type: 'string',
        pattern: '^(\\*\\.)?[A-Za-z0-9.-]+(:\\d{1,5})?$',
        'x-form': 'a host such as api.example.com, or *.example.com',
      },
      examples: [['*.example.com']],
    },
    models: {
      type: 'array',
      description: 'Models that may be asked of it, as globs. Without it: all.',
      items: { type: 'string', minLength: 1 },
      examples: [['gpt-4o*']],
    },
    timeouts,
    isolate: {
      type: 'boolean',
      description: 'true: files, batches, jobs and responses can be used only with the gateway key that made them.',
      default: false,
    },
    extensions: {
      type: 'string',
      enum: ['drop', 'pass'],
      description: "What happens to the gateway's own body fields (labels, thinking, …) that the service may refuse.",
    },
  },
  required: ['type'],
} as const;

/** An entry of `virtual_keys:`. */
export const virtualKey = {
  type: 'object',
  properties: {
    provider: { type: 'string', minLength: 1, description: 'The provider it stands for.', examples: ['openai-main'] },
    api_key: { ...apiKey, description: "A credential of its own, in place of the provider's." },
    auth: { ...openAuth, description: "How requests are signed, in place of the provider's way: its modes and their keys." },
    models: { type: 'array', description: 'Models that may be asked through it, as globs.', items: { type: 'string', minLength: 1 } },
    isolate: { type: 'boolean', description: 'Overrides isolate of the provider.' },
    metadata,
    description,
  },
  required: ['provider'],
  additionalProperties: false,
} as const;
