const collector = {
  otlp: {
    type: 'string',
    pattern: '^(https?://[^\\s]+)?$',
    'x-form': 'the address of a collector, such as http://collector:4318, or "" for none',
    description: 'Address of the collector (OTLP over HTTP), with or without the path of the signal. Empty: nothing is exported.',
    examples: ['${env:OTEL_EXPORTER_OTLP_ENDPOINT:-}'],
  },
  headers: {
    type: 'object',
    description: 'Headers of each export, such as the key of the service. Their values are secrets.',
    additionalProperties: { type: 'string', writeOnly: true, pattern: '^[\\x20-\\x7e]*$', 'x-form': 'printable ASCII characters' },
    examples: [{ 'x-api-key': '${env:OTLP_API_KEY}' }],
  },
  content: {
    type: 'boolean',
    description: 'Also export messages. logging.requests.bodies applies to them: masked with redacted, none with metadata.',
    default: false,
  },
} as const;

/** Schema of `observability:`: metrics, traces and logs for other systems. */
export const observability = {
  type: 'object',
  description: 'Metrics, and exports to other systems.',
  properties: {
    metrics: {
      type: ['string', 'object'],
      pattern: '^off$',
      'x-form': 'off, or a mapping such as {path: /metrics, metadata_labels: [team]}',
      description: 'Prometheus metrics, on server.probe_listen and on the admin listener. "off": none are collected.',
      properties: {
        path: {
          type: 'string',
          pattern: '^/[A-Za-z0-9._~/-]+$',
          'x-form': 'a path such as /metrics',
          description: 'Path of the metrics.',
          default: '/metrics',
        },
        metadata_labels: {
          type: 'array',
          maxItems: 5,
          uniqueItems: true,
          items: { type: 'string', minLength: 1, maxLength: 64 },
          description:
            'Metadata keys that become labels (meta_team) of requests, tokens and cost. Each label has at most 100 values; further ones count as "other".',
          examples: [['team']],
        },
      },
      additionalProperties: false,
      examples: [{ metadata_labels: ['team'] }, 'off'],
    },
    tracing: {
      type: 'object',
      description: 'Traces: a span for each request, and one for each attempt.',
      properties: {
        ...collector,
        sample: {
          type: 'string',
          pattern: '^(100|\\d{1,2}(\\.\\d+)?)%$',
          'x-form': 'a percentage such as 10%',
          description: 'Share of the traces that is exported. If the caller sends traceparent, its sampling decision applies.',
          default: '100%',
          examples: ['10%'],
        },
      },
      required: ['otlp'],
      additionalProperties: false,
    },
    logs: {
      type: 'object',
      description: 'Exports each record of the request log as an OTLP log record.',
      properties: collector,
      required: ['otlp'],
      additionalProperties: false,
    },
    resource: {
      type: 'object',
      description: 'Attributes of the resource in traces and logs.',
      additionalProperties: { type: 'string', maxLength: 256 },
      examples: [{ 'service.name': 'llm-gateway', 'deployment.environment.name': 'production' }],
    },
  },
  additionalProperties: false,
} as const;
