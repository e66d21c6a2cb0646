import { adminSettings } from './admin.ts';
import { drain, duration, size, timeouts } from '../shared.ts';
import { defaultAdminListen, defaultListen } from '../../../core/http/listen-address.ts';

/** A string, or an object for a socket that needs a file mode. */
const listener = {
  type: ['string', 'object'],
  pattern: '^(unix:.+|(\\[[0-9a-fA-F:.]+\\]|[^:\\[\\]\\s]+):\\d{1,5})$',
  'x-form': 'a host and a port such as 127.0.0.1:8787, unix:/path, or {unix: /path, mode: "0660"}',
  required: ['unix'],
  properties: {
    unix: { type: 'string', minLength: 1, description: 'Path of the socket.', examples: ['/run/gateway.sock'] },
    mode: {
      type: 'string',
      pattern: '^0?[0-7]{3}$',
      'x-form': 'an octal mode in quotes, such as "0660"',
      description: 'File mode of the socket, set when it is created. Default: by the umask.',
      examples: ['0660'],
    },
  },
  additionalProperties: false,
} as const;

/** Schema of `server:`: listeners, limits and request defaults. */
export const server = {
  type: 'object',
  description: 'Listeners, limits and defaults.',
  properties: {
    listen: {
      ...listener,
      description: 'Where clients connect.',
      default: defaultListen,
      examples: [defaultListen],
    },
    probe_listen: {
      ...listener,
      description: 'A second listener that serves only /healthz, /readyz and /metrics, without a key.',
      examples: ['0.0.0.0:8789'],
    },
    admin: {
      type: 'object',
      description: 'The dashboard and the admin API.',
      properties: {
        listen: {
          ...listener,
          description: 'Where browsers and the CLI connect.',
          default: defaultAdminListen,
          examples: [defaultAdminListen],
        },
        ...adminSettings,
      },
      additionalProperties: false,
    },
    workers: {
      type: ['integer', 'string'],
      minimum: 1,
      maximum: 64,
      pattern: '^auto$',
      'x-form': 'a number of processes, or auto for one per core',
      description:
        'Number of worker processes that serve clients on the same address; a further process supervises them. "auto": one per core. Only with gateway start.',
      default: 1,
      examples: [2, 'auto'],
    },
    max_body: { ...size, description: 'Largest request body that the gateway buffers in memory.', default: '50MB' },
    max_answer: {
      ...size,
      description:
        'Largest response of a provider that is neither a stream nor a file. A larger one fails the attempt, and a fallback tries its next target.',
      default: '256MB',
    },
    max_upload: {
      ...size,
      'x-range': ['0B', '1024TB'],
      description: 'Largest body that is passed through without buffering (uploads). Default: no limit.',
    },
    json: {
      type: 'object',
      description: 'Limits of the structure of JSON in requests.',
      properties: {
        max_depth: { type: 'integer', minimum: 8, maximum: 1000, description: 'Nesting depth of objects and lists.', default: 128 },
        max_members: {
          type: 'integer',
          minimum: 1000,
          maximum: 10000000,
          description: 'Number of object members, objects and lists together. Sixteen scalar list items count as one.',
          default: 100000,
        },
      },
      additionalProperties: false,
    },
    memory: {
      ...size,
      minimum: 1048576,
      description:
        'Memory for the bodies of all requests together; beyond it, new requests get a 503 response. Default: a quarter of the memory that the process may use.',
      examples: ['512MB'],
    },
    thinking_memory: {
      type: ['string', 'object'],
      pattern: '^off$',
      'x-form': 'off, or a mapping such as {size: 32MB, per_key: 8MB, ttl: 1h}',
      description:
        'Signed reasoning (thinking) blocks of responses with tool calls, kept in memory for clients that do not send them back, so that the model can continue to think. A restart deletes them. "off": none are kept.',
      properties: {
        size: {
          ...size,
          description: 'Maximum size in total, at most an eighth of server.memory. The oldest are deleted first.',
          default: '32MB',
          examples: ['32MB'],
        },
        per_key: { ...size, description: 'Maximum size for one API key.', default: '8MB', examples: ['8MB'] },
        ttl: { ...duration('How long they are kept after their last use.', ['1s', '24h']), default: '1h', examples: ['1h'] },
      },
      additionalProperties: false,
      examples: ['off'],
    },
    body_timeout: {
      ...duration('Timeout for receiving a request body that is buffered.', ['1s', '24h']),
      default: '10m',
    },
    timeouts,
    drain,
    header_prefixes: {
      type: 'array',
      minItems: 1,
      description:
        'Prefixes of gateway headers that are accepted, besides x-gateway-. Response headers begin with x-gateway-, and are repeated with the prefix that the request used.',
      items: {
        type: 'string',
        pattern: '^[a-z0-9][a-z0-9-]*-$',
        'x-form': 'lower-case letters and digits that end in "-", such as x-gateway-',
      },
      default: ['x-gateway-', 'x-portkey-'],
    },
    state_dir: {
      type: 'string',
      minLength: 1,
      description: 'Directory for the request log; "memory" stores nothing on disk.',
      default: '.gateway',
    },
    state_dir_required: {
      type: 'boolean',
      description: 'Fail at start when the state directory is not writable, instead of keeping records in memory only.',
      default: false,
    },
    state_dir_shared: {
      type: 'boolean',
      description:
        'Let several gateways of a machine use the state directory, each with a sub-folder for its request log. Otherwise the second fails to start.',
      default: false,
    },
    open: {
      type: 'boolean',
      description: 'Serve everyone who can connect, under any host name, even when no API key is defined.',
      default: false,
    },
    cors: {
      type: 'object',
      description: 'Web pages that may use the gateway and read its responses.',
      properties: {
        origins: {
          type: 'array',
          minItems: 1,
          description: 'Origins, as browsers send them; "https://*.example.com" for all subdomains, "*" for every origin (only with keys).',
          items: {
            type: 'string',
            pattern: '^(\\*|[A-Za-z][A-Za-z0-9+.-]*://(\\*\\.)?[^\\s/*?#@]+)$',
            'x-form': 'a scheme and a host without a path, such as https://app.example.com',
          },
          examples: [['https://app.example.com', 'http://localhost:5173']],
        },
      },
      required: ['origins'],
      additionalProperties: false,
    },
    expose_routing: { type: 'boolean', description: 'Add provider, target and attempts to the response headers.', default: true },
    egress: {
      type: 'object',
      description: 'Hosts that a request may choose, and how providers are reached.',
      properties: {
        allow: {
          type: 'array',
          description: 'Hosts, "*.suffix" patterns and address ranges that are allowed in addition to public https hosts.',
          items: { type: 'string', minLength: 1 },
          examples: [['*.internal.example', '10.0.0.0/8']],
        },
        proxy: {
          type: 'string',
          description: 'Proxy for https connections to hosts in the configuration. "": none.',
          pattern: '^(https?://.+)?$',
          'x-form': 'the address of a proxy, such as http://proxy.example:3128, or "" for none',
          examples: ['${env:HTTPS_PROXY:-}'],
        },
        no_proxy: {
          type: 'array',
          description: 'Hosts, "*.suffix" patterns and address ranges that are reached directly.',
          items: { type: 'string', minLength: 1 },
          examples: [['*.internal.example', '10.0.0.0/8']],
        },
      },
      additionalProperties: false,
    },
    max_in_flight: {
      type: 'integer',
      minimum: 1,
      maximum: 1000000,
      description: 'Maximum number of attempts in flight; beyond it, new requests get a 503 response.',
      default: 1024,
    },
    max_in_flight_per_key: {
      type: 'integer',
      minimum: 1,
      maximum: 1000000,
      description:
        'Maximum number of requests in flight for one key; beyond it, further requests get a 429 response. Default: three quarters of max_in_flight where there are several keys or tokens.',
    },
    max_connections: {
      type: 'integer',
      minimum: 1,
      maximum: 1000000,
      description: 'Maximum number of client connections; the gateway closes further ones at once.',
      default: 8192,
    },
    fast_path: {
      type: 'boolean',
      description:
        "Use the gateway's own HTTP server and client where possible. false: use Node's HTTP server and undici only, at a higher CPU cost.",
      default: true,
    },
  },
  additionalProperties: false,
} as const;
