/**
 * Attribute names of the OpenTelemetry semantic conventions 1.44.0; the GenAI part as of July 2026, none of which is stable. A
 * test compares them with the package of the conventions.
 */
export const attr = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  requestStream: 'gen_ai.request.stream',
  responseModel: 'gen_ai.response.model',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  firstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  systemInstructions: 'gen_ai.system_instructions',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  promptName: 'gen_ai.prompt.name',
  errorType: 'error.type',
  method: 'http.request.method',
  route: 'http.route',
  status: 'http.response.status_code',
  scheme: 'url.scheme',
  path: 'url.path',
  query: 'url.query',
  client: 'client.address',
  agent: 'user_agent.original',
  serviceName: 'service.name',
  serviceVersion: 'service.version',
  serviceInstance: 'service.instance.id',
} as const;

export const schemaUrl = 'https://opentelemetry.io/schemas/1.44.0';

export const scopeName = 'llm-gateway';
