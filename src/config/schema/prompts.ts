import { description, metadata, plainNames } from './shared.ts';

const variable = {
  type: 'object',
  description: 'One variable of the prompt.',
  properties: {
    type: {
      type: 'string',
      enum: ['string', 'number', 'boolean', 'object', 'array'],
      description: 'Type of the value. Default: any.',
      examples: ['string'],
    },
    required: { type: 'boolean', description: 'The gateway rejects a call without it.', default: false },
    default: { description: 'Used when a call does not set it.' },
    description,
  },
  additionalProperties: false,
} as const;

const message = {
  type: 'object',
  properties: {
    role: {
      type: 'string',
      enum: ['system', 'developer', 'user', 'assistant', 'tool', 'function'],
      description: 'Role of the author.',
      examples: ['user'],
    },
    content: {
      type: ['string', 'array', 'null'],
      items: {
        type: 'object',
        properties: { type: { type: 'string', minLength: 1, description: 'Kind of the part.', examples: ['text'] } },
        required: ['type'],
      },
      description: 'A string, or a list of parts: text, images and other kinds that the provider accepts.',
      examples: ['{{question}}'],
    },
  },
  required: ['role'],
} as const;

/** Keys of one version of a prompt. */
const versionKeys = {
  messages: {
    type: 'array',
    minItems: 1,
    items: message,
    description: 'The messages, in the format of chat completions. Every string in them is a mustache template.',
    examples: [[{ role: 'user', content: '{{question}}' }]],
  },
  model: { type: 'string', minLength: 1, description: 'The model, with or without @slug/.', examples: ['gpt-4o-mini'] },
  parameters: {
    type: 'object',
    description: 'Other fields of the chat completion. A call may override each.',
    examples: [{ temperature: 0.3 }],
  },
  config: { type: 'string', minLength: 1, description: 'The config to use when a call does not choose one.' },
  variables: {
    type: 'object',
    description: 'The variables of the templates.',
    propertyNames: {
      pattern: '^[A-Za-z_][A-Za-z0-9_-]{0,62}$',
      'x-code': 'bad-name',
      'x-form': 'letters, digits, "_" and "-", at most 63 of them, beginning with a letter or "_"',
    },
    additionalProperties: variable,
  },
  partials: {
    type: 'object',
    description: 'Shared templates, inserted as {{>name}}.',
    propertyNames: plainNames,
    additionalProperties: { type: 'string' },
  },
  metadata,
} as const;

/** Names of the keys of a version. Next to `versions` they would have no effect. */
export const keysOfVersion: readonly string[] = Object.keys(versionKeys);

/** One of several versions of a prompt, with all keys of a version. */
export const promptVersion = {
  type: 'object',
  properties: { ...versionKeys, description },
  required: ['messages'],
  additionalProperties: false,
} as const;

/** Schema of an entry of `prompts:`: one version, or several by number. */
export const prompt = {
  type: 'object',
  properties: {
    description,
    ...versionKeys,
    published: {
      type: 'integer',
      minimum: 1,
      description: 'The version for calls that name none. Default: the highest number.',
      examples: [1],
    },
    labels: {
      type: 'object',
      description:
        'Names for versions: welcome@production. Until they are set, the labels production, staging and development mean the published version.',
      propertyNames: {
        pattern: '^(?!latest$)[A-Za-z][A-Za-z0-9._-]{0,62}$',
        'x-code': 'bad-name',
        'x-form': 'letters, digits, ".", "_" and "-", at most 63 of them, beginning with a letter, and not "latest"',
      },
      additionalProperties: { type: 'integer', minimum: 1, examples: [1] },
    },
    versions: {
      type: 'object',
      description: 'Versions by number: welcome@2.',
      propertyNames: { pattern: '^[1-9][0-9]{0,8}$', 'x-code': 'bad-name', 'x-form': 'a whole number of at least 1' },
      additionalProperties: promptVersion,
    },
  },
  additionalProperties: false,
} as const;
