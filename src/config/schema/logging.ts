import { size } from './shared.ts';

/** `logging:` — the terminal and the request log. */
export const logging = {
  type: 'object',
  description: 'The terminal and the request log.',
  properties: {
    level: { enum: ['debug', 'info', 'warn', 'error'], type: 'string', description: 'What is worth a line.', default: 'info' },
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
            'What a record keeps of messages. none: neither headers nor bodies; metadata: headers; full: bodies too. Credentials are never kept.',
          default: 'metadata',
          'x-hints': { redacted: 'write metadata or full: this version has nothing that redacts bodies' },
        },
        max_body: { ...size, description: 'How much of one body a record keeps.', default: '256KB' },
        spool_size: { ...size, description: 'How much disk the spool may take before its oldest part is dropped.', default: '1GB' },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const;
