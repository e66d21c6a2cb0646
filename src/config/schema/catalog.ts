import { virtualKeyLimits } from './limits.ts';
import { apiKey, customHost, description, metadata, timeouts } from './shared.ts';

/** `auth:` as all types accept it. A type's own modes and their keys are added. */
const openAuth = {
  type: 'object',
  description: 'How requests authenticate.',
  properties: {
    mode: {
      type: 'string',
      description: "api_key: the provider's own key; caller: the credential that the caller sends; or a mode of the provider type.",
    },
    api_key: apiKey,
  },
} as const;

/** Keys that every entry of `providers:` may have. The type's own settings are added. */
export const providerCommon = {
  type: 'object',
  properties: {
    type: { type: 'string', description: 'Type of the provider.', examples: ['openai'] },
    name: { type: 'string', description: 'Display name.' },
    description,
    enabled: {
      type: 'boolean',
      description:
        'false: the gateway rejects requests for it, and leaves it out of configs that have other targets. Its secrets may be unset.',
      default: true,
    },
    api_key: apiKey,
    auth: openAuth,
    custom_host: customHost,
    allow_custom_host: {
      type: 'array',
      description: 'Hosts ("host" or "*.suffix") that a request may choose and that then receive the credential of this provider.',
      items: {
        type: 'string',
        pattern: '^(\\*\\.)?[A-Za-z0-9.-]+(:\\d{1,5})?$',
        'x-form': 'a host such as api.example.com, or *.example.com',
      },
      examples: [['*.example.com']],
    },
    models: {
      type: 'array',
      description: 'Models that requests may use, as globs. Default: all.',
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
      description:
        'drop: body fields of the gateway (labels, thinking, …) that the service may reject are left out; pass: they are sent. Default: drop; pass for type openai with custom_host.',
    },
    stream_usage: {
      type: 'string',
      enum: ['always'],
      description:
        'always: the gateway requests the usage of streams in the OpenAI format (stream_options.include_usage) and removes the chunk with it, unless the client requested it. Without it, such streams are recorded with an estimate.',
    },
  },
  required: ['type'],
} as const;

/** Schema of an entry of `virtual_keys:`. */
export const virtualKey = {
  type: 'object',
  properties: {
    provider: { type: 'string', minLength: 1, description: 'The provider that it uses.', examples: ['openai-main'] },
    api_key: { ...apiKey, description: "Credential, used instead of the provider's." },
    auth: { ...openAuth, description: "How requests authenticate, instead of the provider's way: a mode and its keys." },
    models: { type: 'array', description: 'Models that may be used through it, as globs.', items: { type: 'string', minLength: 1 } },
    limits: virtualKeyLimits,
    isolate: { type: 'boolean', description: 'Overrides isolate of the provider.' },
    metadata,
    description,
  },
  required: ['provider'],
  additionalProperties: false,
} as const;
