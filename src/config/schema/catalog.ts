import { apiKey, customHost, description, metadata, timeouts } from './shared.ts';

/** Keys that every entry of `providers:` has; the type's own settings are joined in. */
export const providerCommon = {
  type: 'object',
  properties: {
    type: { type: 'string', description: 'Which kind of provider this is.', examples: ['openai'] },
    name: { type: 'string', description: 'A name for people.' },
    description,
    enabled: { type: 'boolean', description: 'false: requests for it are refused, its secrets may be unset.', default: true },
    api_key: apiKey,
    auth: {
      type: 'object',
      description: 'How requests are signed.',
      properties: {
        mode: {
          type: 'string',
          enum: ['api_key', 'caller'],
          description: "api_key: with the key of this entry; caller: with the credential that the caller's request brings.",
        },
        api_key: apiKey,
      },
      additionalProperties: false,
    },
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
    models: { type: 'array', description: 'Models that may be asked through it, as globs.', items: { type: 'string', minLength: 1 } },
    metadata,
    description,
  },
  required: ['provider'],
  additionalProperties: false,
} as const;

const nameList = { type: 'array', items: { type: 'string', minLength: 1 } } as const;

/** An entry of `api_keys:`. */
export const gatewayKey = {
  type: 'object',
  properties: {
    hash: {
      type: 'string',
      pattern: '^sha256:[0-9a-fA-F]{64}$',
      'x-code': 'bad-key-hash',
      description: 'SHA-256 of the key as sha256:<64 hex digits>; never the key itself.',
      examples: ['sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    },
    default_config: { type: 'string', minLength: 1, description: 'Used when a request names no config, provider or virtual key.' },
    enforce_config: { type: 'boolean', description: 'Every other choice is refused.', default: false },
    allow: {
      type: 'object',
      description: 'What the key may use. What is left out is not limited.',
      properties: {
        configs: { ...nameList, description: 'Names of configs; "inline" stands for configs sent as JSON.' },
        providers: { ...nameList, description: 'Slugs; "type:openai" stands for a provider that is not in the catalog.' },
        models: { ...nameList, description: 'Model names without slug, as globs.' },
      },
      additionalProperties: false,
    },
    metadata,
    expires: {
      type: 'string',
      pattern: '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?(Z|[+-]\\d\\d:?\\d\\d))?$',
      'x-form': 'a date such as 2027-03-01, or a time such as 2027-03-01T12:00:00Z',
      description: 'The key is refused from this day on (UTC).',
      examples: ['2027-03-01'],
    },
    debug: { type: 'boolean', description: 'Its requests may ask for debug details.', default: false },
    description,
  },
  required: ['hash'],
  additionalProperties: false,
} as const;
