import { duration, size } from './shared.ts';

/** A name in a path: plain or in quotes. */
const fieldName = '(?:[^.\\[\\]"][^.\\[\\]]*|"(?:[^"\\\\]|\\\\.)+")';

const bodies = { enum: ['none', 'metadata', 'redacted', 'full'], type: 'string' } as const;

const share = { type: 'string', pattern: '^(100|\\d{1,2})(\\.\\d+)?%$', 'x-form': 'a percentage such as 10%', examples: ['10%'] } as const;

/** Schema of `log:` in a config or an API key. */
export const logRule = {
  type: 'object',
  description: 'What is stored of these requests, in place of logging.requests.',
  properties: {
    bodies: { ...bodies, description: 'As logging.requests.bodies. If config and key both set it, the stricter one applies.' },
  },
  required: ['bodies'],
  additionalProperties: false,
  examples: [{ bodies: 'metadata' }],
} as const;

/** Schema of `logging:`: terminal output and the request log. */
export const logging = {
  type: 'object',
  description: 'The terminal and the request log.',
  properties: {
    level: { enum: ['debug', 'info', 'warn', 'error'], type: 'string', description: 'Minimum level that is logged.', default: 'info' },
    format: {
      enum: ['auto', 'pretty', 'json'],
      type: 'string',
      description: 'auto: pretty on a terminal, JSON elsewhere.',
      default: 'auto',
    },
    requests: {
      type: ['string', 'object'],
      pattern: '^off$',
      'x-form': 'off, or a mapping such as {bodies: metadata, retention: {age: 14d}}',
      description: 'The record of each finished request. "off": none is stored; log lines and metrics are not affected.',
      examples: ['off'],
      properties: {
        bodies: {
          ...bodies,
          description:
            'What a record stores of requests and responses. none: neither headers nor bodies; metadata: headers; redacted: headers and bodies in which personal data is masked and files are replaced; full: headers and bodies. Credentials are never stored.',
          default: 'redacted',
        },
        redact: {
          type: 'object',
          description: 'What `redacted` masks besides credentials.',
          properties: {
            fields: {
              type: 'array',
              items: {
                type: 'string',
                pattern: `^${fieldName}(\\[\\*\\])*(\\.${fieldName}(\\[\\*\\])*)*$`,
                'x-form': 'a path such as user or messages[*].name',
              },
              description:
                'Members of JSON bodies by path; `[*]` is each element of a list, also at the end of a path. A name with a dot or a bracket is written in quotes: `metadata."user.name"`.',
              examples: [['user', 'messages[*].name', 'input[*]']],
            },
            patterns: {
              type: 'array',
              items: {
                type: 'string',
                pattern: '^(email|phone|iban|credit_card|regex:.+)$',
                'x-form': 'email, phone, iban, credit_card or regex:<pattern>',
              },
              description: 'What is masked in texts: email, phone, iban, credit_card, and your own regular expressions (RE2).',
              default: ['email', 'phone', 'iban', 'credit_card'],
              examples: [['email', 'regex:ACME-\\d{6}']],
            },
            media: {
              type: 'string',
              enum: ['keep', 'digest', 'drop'],
              description: 'Images, audio and files in bodies. digest: type, size and SHA-256 in place of the content.',
              default: 'digest',
            },
          },
          additionalProperties: false,
        },
        sample: {
          type: 'object',
          description: 'Share of the requests whose bodies are stored; the others are stored as under `metadata`.',
          properties: {
            success: { ...share, description: 'Of requests that succeeded.', default: '100%' },
            errors: { ...share, description: 'Of requests that failed.', default: '100%' },
          },
          additionalProperties: false,
        },
        client_may: {
          type: 'array',
          items: { type: 'string', enum: ['lower'] },
          description: 'lower: the header x-gateway-log with metadata or none lowers `bodies` for one request. Clients can never raise it.',
          default: ['lower'],
        },
        max_body: { ...size, 'x-range': ['0B', '1024TB'], description: 'Largest part of a body that a record stores.', default: '256KB' },
        spool_size: {
          ...size,
          description:
            'Disk space for records that are not in the store yet. When it is nearly full, the bodies of the oldest records are deleted, then records.',
          default: '1GB',
        },
        store: {
          type: 'string',
          pattern: '^(sqlite|postgres(ql)?://.+)$',
          'x-form': 'sqlite, or the address of a Postgres database: postgres://user@host/database',
          description: 'Where records are stored. sqlite: a file in server.state_dir.',
          default: 'sqlite',
          examples: ['postgres://gateway@db.internal/gateway'],
        },
        retention: {
          type: 'object',
          description: 'How long records are stored. When one of the limits is reached, the oldest records are deleted.',
          properties: {
            age: { ...duration('Age of the oldest record.', ['1m', '3650d']), default: '14d', examples: ['14d'] },
            size: { ...size, description: 'Disk space of the store.', default: '2GB', examples: ['2GB'] },
          },
          additionalProperties: false,
        },
        memory_rows: {
          type: 'integer',
          minimum: 100,
          maximum: 10_000_000,
          description: 'Maximum number of records in memory if nothing is stored on disk (server.state_dir: memory).',
          default: 50_000,
        },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const;
