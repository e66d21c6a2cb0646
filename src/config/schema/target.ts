import { logRule } from './logging.ts';
import { defaultMaxAge, longestMaxAge } from '../../core/target/cache-policy.ts';
import { apiKey, customHost, metadata, milliseconds, statusCodes, timeouts } from './shared.ts';

const circuit = {
  type: 'object',
  description: 'Circuit breaker: skips a target that keeps failing for a while. Targets inherit the nearest definition.',
  properties: {
    failure_threshold: {
      type: 'integer',
      minimum: 1,
      maximum: 1000000,
      description: 'Number of failed attempts in a row after which the target is skipped.',
      examples: [5],
    },
    failure_threshold_percentage: {
      type: 'number',
      minimum: 1,
      maximum: 100,
      description: 'Percentage of failed attempts within the last minute from which on the target is skipped.',
      examples: [50],
    },
    minimum_requests: {
      type: 'integer',
      minimum: 1,
      maximum: 1000000,
      description: 'Minimum number of attempts within the last minute for the percentage to apply.',
      default: 5,
    },
    cooldown_interval: {
      ...milliseconds('How long the target is skipped; then one request tries it. A number without unit is milliseconds.', 1000, [
        '1s',
        '24h',
      ]),
      default: 30000,
    },
    failure_status_codes: {
      ...statusCodes,
      description: 'The statuses that count as failures, besides timeouts, connection errors and invalid responses.',
      default: ['5xx'],
    },
  },
  additionalProperties: false,
} as const;

const strategy = {
  type: 'object',
  description: 'How a target is chosen.',
  properties: {
    mode: {
      type: 'string',
      enum: ['single', 'fallback', 'loadbalance', 'conditional'],
      description: 'single: the first; fallback: in order until one succeeds; loadbalance: by weight; conditional: by the request.',
      examples: ['fallback'],
    },
    on_status_codes: {
      ...statusCodes,
      description: 'Fallback: the statuses that move on to the next target. Default: every non-2xx status.',
    },
    conditions: {
      type: 'array',
      minItems: 1,
      description: 'Conditional: the first condition whose query matches decides.',
      items: {
        type: 'object',
        properties: {
          query: {
            type: 'object',
            description:
              'Over metadata.<key>, params.<body field> and url.pathname, with $eq $ne $in $nin $gt $gte $lt $lte $regex $and $or. Fields of a form are strings. Only its model and the fields before its file are known.',
            examples: [{ 'metadata.plan': { $eq: 'paid' } }],
          },
          // biome-ignore lint/suspicious/noThenProperty: the name is given by the format of config objects
          then: { type: 'string', minLength: 1, description: 'Name of the target.', examples: ['big'] },
        },
        required: ['query', 'then'],
        additionalProperties: false,
      },
    },
    default: { type: 'string', minLength: 1, description: 'Conditional: name of the target when no query matches.' },
    cb_config: circuit,
  },
  required: ['mode'],
  additionalProperties: false,
} as const;

const retry = {
  type: 'object',
  description: 'Retries on the same target.',
  properties: {
    attempts: { type: 'integer', minimum: 0, maximum: 5, description: 'Number of retries after the first attempt.', examples: [2] },
    on_status_codes: { ...statusCodes, description: 'The statuses that are retried.', default: [429, 500, 502, 503, 504, 529] },
    use_retry_after_header: {
      type: 'boolean',
      description: "Wait as long as the provider's retry-after header specifies.",
      default: false,
    },
  },
  additionalProperties: false,
} as const;

/** Settings of a config and of each target. `targets`, which makes it a tree, is added elsewhere. */
export const targetSettings = {
  type: 'object',
  properties: {
    provider: {
      type: 'string',
      minLength: 1,
      description: 'Slug from providers or virtual_keys, with or without @.',
      examples: ['openai-main'],
    },
    virtual_key: { type: 'string', minLength: 1, description: 'Name from virtual_keys.' },
    prompt_id: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      description: 'A stored prompt, used instead of the one that the request names; such a config works on the prompts routes only.',
      examples: ['welcome@2'],
    },
    retry,
    cache: {
      type: 'object',
      description: 'Responds to repeated requests from memory. Targets inherit the nearest definition.',
      properties: {
        mode: {
          type: 'string',
          enum: ['simple', 'semantic'],
          description: 'simple: the same request of the same caller. semantic is accepted, and works like simple.',
          default: 'simple',
        },
        max_age: {
          type: 'integer',
          minimum: 1,
          maximum: longestMaxAge,
          description: 'How long a response is used, in seconds; at most 90 days.',
          default: defaultMaxAge,
          examples: [3600],
        },
      },
      additionalProperties: false,
    },
    weight: {
      type: 'number',
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'Loadbalance: share of the requests, relative to its siblings; 0 disables the target.',
      default: 1,
    },
    override_params: {
      type: 'object',
      description: 'Merged over the request body. Other names of the same parameter are removed from it.',
      properties: {
        model: { type: ['string', 'null'], description: 'Replaces the model of the request. Empty or null: does not replace it.' },
      },
      additionalProperties: true,
      examples: [{ temperature: 0.2 }],
    },
    strategy,
    name: { type: 'string', minLength: 1, description: 'Name of the target, for conditions.' },
    config: { type: 'string', minLength: 1, description: 'Named config to use as this target.' },
    labels: { type: 'object', additionalProperties: { type: 'string' }, description: 'Shorthand for override_params.labels.' },
    request_timeout: {
      ...milliseconds(
        'Timeout until a stream has begun, or until a complete response has ended. A number without unit is milliseconds.',
        1,
        ['1ms', '24h'],
      ),
      examples: [30000],
    },
    timeouts,
    api_key: apiKey,
    custom_host: customHost,
    forward_headers: {
      type: 'array',
      items: {
        type: 'string',
        minLength: 1,
        pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
        'x-form': 'the name of one header such as x-user-id',
      },
      description: 'Headers of the caller that are forwarded to the provider.',
    },
    strict_compliance: {
      type: 'boolean',
      description: 'false: responses contain fields that the OpenAI format does not define.',
      default: true,
    },
    reasoning_content: {
      type: 'boolean',
      description:
        'true: chat completions also contain the thinking text of the model as `reasoning_content`, regardless of strict_compliance. The header x-gateway-reasoning-content takes precedence.',
      default: false,
    },
    metadata,
    log: logRule,
    description: { type: 'string', description: 'Description, for the reader only.' },
  },
} as const;

/** Short form of a target: the string `slug/model`. */
export const targetText = {
  pattern: '^@?[a-z0-9][a-z0-9._-]{0,62}(/\\S+)?$',
  'x-form': 'a provider and a model such as openai-main/gpt-4o, or a mapping',
} as const;
