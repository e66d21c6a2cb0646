import { size } from './shared.ts';

/** `logging:` — the terminal and the request log. */
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
      type: 'object',
      description: 'The record of each finished request.',
      properties: {
        bodies: {
          enum: ['none', 'metadata', 'full'],
          type: 'string',
          description:
            'What a record stores of requests and responses. none: neither headers nor bodies; metadata: headers; full: headers and bodies. Credentials are never stored.',
          default: 'metadata',
          'x-hints': { redacted: 'write metadata or full: this version cannot redact bodies' },
        },
        max_body: { ...size, description: 'Largest part of a body that a record stores.', default: '256KB' },
        spool_size: { ...size, description: 'Disk space of the request log; when it is full, the oldest part is deleted.', default: '1GB' },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const;
