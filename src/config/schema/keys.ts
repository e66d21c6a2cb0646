import { jwtAlgorithms } from '../../core/secrets/jwt.ts';
import { callerLimits } from './limits.ts';
import { logRule } from './logging.ts';
import { description, durationForm, durationPattern, metadata } from './shared.ts';

const nameList = { type: 'array', items: { type: 'string', minLength: 1 } } as const;

const time = <const D extends string>(text: D) =>
  ({
    type: 'string',
    pattern: '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?(Z|[+-]\\d\\d:?\\d\\d))?$',
    'x-form': 'a date such as 2027-03-01, or a time such as 2027-03-01T12:00:00Z',
    description: text,
    examples: ['2027-03-01'],
  }) as const;

const hash = {
  type: 'string',
  pattern: '^sha256:[0-9a-fA-F]{64}$',
  'x-code': 'bad-key-hash',
  description: 'SHA-256 of the key as sha256:<64 hex digits>; never the key itself.',
  examples: ['sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
} as const;

const prefix = {
  type: 'string',
  maxLength: 16,
  description: 'For reference: the first characters of the key. Written by `gateway keys create`, shown by `gateway keys list`.',
  examples: ['gw_live_9f2c'],
} as const;

/** Rules for a caller, the same for a key and for tokens. */
const rules = {
  default_config: { type: 'string', minLength: 1, description: 'Used when a request names no config, provider or virtual key.' },
  enforce_config: { type: 'boolean', description: 'The gateway rejects every other choice.', default: false },
  allow: {
    type: 'object',
    description: 'What the caller may use. Omitted lists do not limit anything.',
    properties: {
      configs: { ...nameList, description: 'Names of configs; "inline" allows configs sent as JSON.' },
      providers: { ...nameList, description: 'Slugs; "type:openai" allows the type openai with the credential of the caller.' },
      models: { ...nameList, description: 'Model names without slug, as globs.' },
      prompts: { ...nameList, description: 'Names of stored prompts.' },
      regex: {
        type: 'boolean',
        description: 'Configs sent as JSON may use $regex. Not allowed unless set.',
        default: false,
      },
    },
    additionalProperties: false,
  },
  limits: callerLimits,
  debug: { type: 'boolean', description: 'Accepted for debug details in responses; has no effect in this version.', default: false },
  reasoning_content: {
    type: 'boolean',
    description:
      'Default for chat completions when neither the config nor the request sets it: true adds the thinking text of the model as `reasoning_content`.',
    default: false,
  },
  log: logRule,
  isolate: { type: 'boolean', description: 'false: the caller may use all objects of providers with isolate: true.', default: true },
} as const;

/** Schema of an entry of `api_keys:`. */
export const gatewayKey = {
  type: 'object',
  properties: {
    hash,
    prefix,
    previous: {
      type: 'array',
      description: 'Older secrets of this key that still work for a while. Written by `gateway keys rotate`.',
      items: {
        type: 'object',
        properties: { hash, prefix, until: time('The gateway rejects the secret from then on (UTC).') },
        required: ['hash', 'until'],
        additionalProperties: false,
      },
    },
    default_config: rules.default_config,
    enforce_config: rules.enforce_config,
    allow: rules.allow,
    limits: rules.limits,
    metadata,
    created: time('For reference: when the key was issued.'),
    expires: time('The gateway rejects the key from this day on (UTC).'),
    revoked: time('The gateway rejects the key and all its older secrets from then on. Written by `gateway keys revoke`.'),
    debug: rules.debug,
    reasoning_content: rules.reasoning_content,
    log: rules.log,
    isolate: rules.isolate,
    description,
  },
  required: ['hash'],
  additionalProperties: false,
} as const;

const texts = { type: ['string', 'array'], minLength: 1, minItems: 1, items: { type: 'string', minLength: 1 } } as const;
const claim = <const D extends string, const E extends string>(text: D, example: E) =>
  ({ type: 'string', minLength: 1, description: text, examples: [example] }) as const;

/** Schema of `auth:`: tokens of an issuer instead of keys. */
export const auth = {
  type: 'object',
  description: 'Further ways to authenticate callers.',
  properties: {
    jwt: {
      type: 'object',
      description: 'Accepts tokens (JWT) of an issuer as gateway keys.',
      properties: {
        issuer: { ...texts, description: 'Required value of the claim `iss`; one or several.', examples: ['https://login.example.com/'] },
        audience: {
          ...texts,
          description: 'Required value of the claim `aud`; with several, one of them is enough.',
          examples: ['llm-gateway'],
        },
        jwks: {
          type: 'string',
          minLength: 1,
          description: "The issuer's public keys: URL of a JSON Web Key Set, or a file with one.",
          examples: ['https://login.example.com/.well-known/jwks.json'],
        },
        algorithms: {
          type: 'array',
          minItems: 1,
          description: 'Accepted signature algorithms. Default: all of these.',
          items: { type: 'string', enum: jwtAlgorithms },
          examples: [['RS256']],
        },
        from: {
          type: 'array',
          description: 'Headers besides x-gateway-api-key in which the gateway looks for a token of this issuer.',
          items: { type: 'string', enum: ['authorization'] },
          examples: [['authorization']],
        },
        caller: { ...claim("Claim with the caller's name.", 'sub'), default: 'sub' },
        metadata: {
          type: 'object',
          description: 'Metadata fields of the record and the claims that fill them.',
          additionalProperties: { type: 'string', minLength: 1 },
          examples: [{ team: 'department' }],
        },
        key: claim(
          'Claim with the name of one of the `api_keys`, whose rules then apply to the token. The claim is then required.',
          'gateway_key',
        ),
        clock_tolerance: {
          type: 'string',
          pattern: durationPattern,
          'x-form': durationForm,
          'x-range': ['0s', '10m'],
          description: 'Allowed clock difference between issuer and gateway.',
          default: '30s',
          examples: ['30s'],
        },
        ...rules,
      },
      required: ['issuer', 'audience', 'jwks'],
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const;
