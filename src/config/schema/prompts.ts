import { description, metadata, plainNames } from './shared.ts';

const variable = {
  type: 'object',
  description: 'One value that a call gives.',
  properties: {
    type: {
      type: 'string',
      enum: ['string', 'number', 'boolean', 'object', 'array'],
      description: 'What the value must be. Without it: anything.',
      examples: ['string'],
    },
    required: { type: 'boolean', description: 'A call without it is refused.', default: false },
    default: { description: 'Used when a call gives none.' },
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
      description: 'Who speaks.',
      examples: ['user'],
    },
    content: {
      type: ['string', 'array', 'null'],
      items: {
        type: 'object',
        properties: { type: { type: 'string', minLength: 1, description: 'Kind of the part.', examples: ['text'] } },
        required: ['type'],
      },
      description: 'A text, or parts with texts, images and what else the provider takes.',
      examples: ['{{question}}'],
    },
  },
  required: ['role'],
} as const;

/** What one version of a prompt says. */
const versionKeys = {
  messages: {
    type: 'array',
    minItems: 1,
    items: message,
    description: 'The conversation as chat completions take it. Every text below is a mustache template.',
    examples: [[{ role: 'user', content: '{{question}}' }]],
  },
  model: { type: 'string', minLength: 1, description: 'The model, with or without @slug/.', examples: ['gpt-4o-mini'] },
  parameters: {
    type: 'object',
    description: 'Any other field of a chat completion. A call may override each.',
    examples: [{ temperature: 0.3 }],
  },
  config: { type: 'string', minLength: 1, description: 'The config that applies when a call makes no choice of its own.' },
  variables: {
    type: 'object',
    description: 'What the templates read.',
    propertyNames: {
      pattern: '^[A-Za-z_][A-Za-z0-9_-]{0,62}$',
      'x-code': 'bad-name',
      'x-form': 'letters, digits, "_" and "-", at most 63 of them, beginning with a letter or "_"',
    },
    additionalProperties: variable,
  },
  partials: {
    type: 'object',
    description: 'Texts that templates insert as {{>name}}.',
    propertyNames: plainNames,
    additionalProperties: { type: 'string' },
  },
  metadata,
} as const;

/** The keys that belong to a version: beside `versions` they would say nothing. */
export const keysOfVersion: readonly string[] = Object.keys(versionKeys);

/** A prompt of several versions, each with all that a version says. */
export const promptVersion = {
  type: 'object',
  properties: { ...versionKeys, description },
  required: ['messages'],
  additionalProperties: false,
} as const;

/** An entry of `prompts:`: one version, or several by number. */
export const prompt = {
  type: 'object',
  properties: {
    description,
    ...versionKeys,
    published: {
      type: 'integer',
      minimum: 1,
      description: 'The version of a call that names none. Without it: the highest number.',
      examples: [1],
    },
    labels: {
      type: 'object',
      description:
        'Names for versions: welcome@production. The labels production, staging and development stand for the published version until they are set.',
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
      propertyNames: { pattern: '^[1-9][0-9]{0,8}$', 'x-code': 'bad-name', 'x-form': 'a number from 1 on' },
      additionalProperties: promptVersion,
    },
  },
  additionalProperties: false,
} as const;
