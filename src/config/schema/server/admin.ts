import { durationForm, durationPattern, plainNames } from '../shared.ts';

const token = <const D extends string>(description: D) =>
  ({
    type: 'string',
    minLength: 16,
    writeOnly: true,
    'x-form': 'at least 16 characters, such as ${file:/run/secrets/admin-token}',
    description,
    examples: ['${file:/run/secrets/admin-token}'],
  }) as const;

/** Settings of `server.admin`: the dashboard and the admin API. `listen` is added where the schema of listeners is defined. */
export const adminSettings = {
  enabled: { type: 'boolean', description: 'false: no dashboard and no admin API.', default: true },
  token: token(
    'Token of the role admin, for the dashboard and the CLI. Default: a random one in the file admin-token of the state directory.',
  ),
  users: {
    type: 'object',
    description: 'Users and programs with their own token.',
    propertyNames: plainNames,
    additionalProperties: {
      type: 'object',
      properties: {
        role: {
          type: 'string',
          enum: ['viewer', 'operator', 'admin'],
          description:
            'viewer: everything except contents of requests and responses. operator: also contents, and tests of providers and prompts. admin: also changes, such as reload and keys.',
        },
        token: token('The token of this user.'),
        token_hash: {
          type: 'string',
          pattern: '^sha256:[0-9a-fA-F]{64}$',
          'x-code': 'bad-key-hash',
          description: 'SHA-256 of the token as sha256:<64 hex digits>, instead of the token.',
          examples: ['sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
        },
      },
      required: ['role'],
      additionalProperties: false,
    },
    examples: [{ anna: { role: 'viewer', token: '${env:ANNA_TOKEN}' } }],
  },
  open: {
    type: 'boolean',
    description: 'Everyone who can connect has the role admin, without signing in. Only for a listener on loopback.',
    default: false,
  },
  hosts: {
    type: 'array',
    description:
      'Further host names under which browsers reach the dashboard, for example behind a proxy. IP addresses and localhost are always allowed.',
    items: { type: 'string', minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.-]+$', 'x-form': 'a host name without port' },
    examples: [['gateway.example.com']],
  },
  session: {
    type: 'string',
    pattern: durationPattern,
    'x-form': durationForm,
    'x-range': ['1m', '30d'],
    description: 'How long a sign-in lasts without any request.',
    default: '12h',
    examples: ['12h'],
  },
} as const;
