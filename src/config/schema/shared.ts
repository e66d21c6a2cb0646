import { sizePattern } from '../../core/text/units.ts';

/**
 * Schema parts used in several places. Custom keywords: `x-form` describes the form of a string in words, `x-code` is
 * the diagnostic for a failed pattern, `x-range` the limits of a duration or size. `writeOnly` marks secrets, `x-credential`
 * other settings that are part of a credential.
 */

/** `30s`, `5m`, `1.5h`; the unit is required. */
export const durationPattern = '^\\d+(\\.\\d+)?(ms|s|m|h|d)$';

export const durationForm = 'a number with a unit: 250ms, 30s, 5m, 1h';

/** Form of settings for which a number without unit is milliseconds. */
export const millisecondsForm = `milliseconds, or ${durationForm}`;

/** A duration, or a number of milliseconds without unit of at least `least`. */
export const milliseconds = <const D extends string, const L extends readonly [string, string]>(description: D, least: number, range: L) =>
  ({
    type: ['integer', 'string'],
    minimum: least,
    maximum: 86_400_000,
    pattern: durationPattern,
    'x-form': millisecondsForm,
    'x-range': range,
    description,
  }) as const;

export const duration = <const D extends string, const L extends readonly [string, string]>(description: D, range: L) =>
  ({ type: 'string', pattern: durationPattern, 'x-form': durationForm, 'x-range': range, description, examples: ['30s'] }) as const;

/** Names of providers and virtual keys. */
export const slugPattern = '^[a-z0-9][a-z0-9._-]{0,62}$';

export const slugNames = {
  pattern: slugPattern,
  'x-code': 'bad-name',
  'x-form': 'lower-case letters, digits, ".", "_" and "-", at most 63 of them, beginning with a letter or digit',
} as const;

/** Names of configs and API keys: never part of a model name, so capitals are allowed. */
export const plainNames = {
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$',
  'x-code': 'bad-name',
  'x-form': 'letters, digits, ".", "_" and "-", at most 63 of them, beginning with a letter or digit',
} as const;

export const size = {
  type: 'string',
  pattern: sizePattern,
  'x-form': 'a number with a unit: 256KB, 50MB, 1GB',
  'x-range': ['1B', '1024TB'],
  examples: ['50MB'],
} as const;

export const timeouts = {
  type: 'object',
  description: 'The four timeouts of an attempt. Each is inherited separately: server, provider, config, target.',
  properties: {
    connect: duration('For the connection, including TLS (default 5s).', ['1ms', '10m']),
    first_byte: duration(
      'From the end of the request to the first event of a stream (default 60s), or to the head of any other response (no default).',
      ['1ms', '24h'],
    ),
    idle: duration(
      'Between two events of a stream, or two parts of any other response (default 60s). Of a WebSocket, the time in which neither side sends.',
      ['1ms', '24h'],
    ),
    total: duration('For the whole attempt (default 10m).', ['1ms', '24h']),
  },
  additionalProperties: false,
} as const;

export const drain = {
  type: 'object',
  description: 'Graceful stop on SIGTERM.',
  properties: {
    delay: {
      ...duration('How long the gateway still accepts new connections, so that load balancers notice.', ['0s', '1h']),
      default: '0s',
    },
    timeout: {
      ...duration('How long running requests may continue before the gateway ends them with an error event.', ['0s', '24h']),
      default: '25s',
    },
  },
  additionalProperties: false,
} as const;

/** Same limits as for `x-gateway-metadata`. */
export const metadata = {
  type: 'object',
  description: 'Key-value pairs added to the log record of every request.',
  additionalProperties: { type: 'string', maxLength: 128 },
  examples: [{ team: 'web' }],
} as const;

export const description = { type: 'string', description: 'Description, for the reader only.' } as const;

export const customHost = {
  type: 'string',
  minLength: 1,
  description: 'Base URL of another service with the same API.',
  examples: ['http://127.0.0.1:11434/v1'],
} as const;

export const apiKey = {
  type: 'string',
  minLength: 1,
  writeOnly: true,
  description: 'The credential: a reference such as ${env:NAME} or ${file:/run/secrets/name}.',
  examples: ['${env:OPENAI_API_KEY}'],
} as const;

export const statusCodes = {
  type: 'array',
  items: {
    type: ['integer', 'string'],
    minimum: 100,
    maximum: 599,
    pattern: '^([1-5]xx|[1-5]\\d\\d(-[1-5]\\d\\d)?)$',
    'x-form': 'a status such as 429, or a range such as "5xx" or "500-504"',
  },
  examples: [[429, 500, 502, 503, 504]],
} as const;
