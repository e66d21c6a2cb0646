import { Ajv2020 } from 'ajv/dist/2020.js';

/** Closed shapes of types of the `openai` library (ChatCompletion, ChatCompletionChunk), plus `provider` of the gateway. */
const usage = {
  type: 'object',
  additionalProperties: false,
  required: ['prompt_tokens', 'completion_tokens', 'total_tokens'],
  properties: {
    prompt_tokens: { type: 'integer', minimum: 0 },
    completion_tokens: { type: 'integer', minimum: 0 },
    total_tokens: { type: 'integer', minimum: 0 },
    prompt_tokens_details: { type: 'object', additionalProperties: { type: 'integer', minimum: 0 } },
    completion_tokens_details: { type: 'object', additionalProperties: { type: 'integer', minimum: 0 } },
    cache_read_input_tokens: { type: 'integer', minimum: 1 },
    cache_creation_input_tokens: { type: 'integer', minimum: 1 },
    cache_creation: { type: 'object', additionalProperties: { type: 'integer', minimum: 0 } },
  },
};
const finish = { enum: ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'] };
const top = {
  id: { type: 'string', minLength: 1 },
  created: { type: 'integer', minimum: 1 },
  model: { type: 'string', minLength: 1 },
  provider: { const: 'anthropic' },
  usage,
};
const annotation = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'url_citation'],
  properties: {
    type: { const: 'url_citation' },
    url_citation: {
      type: 'object',
      additionalProperties: false,
      required: ['url', 'title', 'start_index', 'end_index'],
      properties: { url: { type: 'string' }, title: { type: 'string' }, start_index: { type: 'integer' }, end_index: { type: 'integer' } },
    },
  },
};
/** What made a call, where it was not the model itself. */
const caller = { type: 'object', required: ['type', 'tool_id'], properties: { type: { pattern: '^code_execution_' } } };
const callOf = (strict: boolean): object => ({
  type: 'object',
  additionalProperties: false,
  required: ['id', 'type', 'function'],
  properties: {
    id: { type: 'string', minLength: 1 },
    type: { const: 'function' },
    function: {
      type: 'object',
      additionalProperties: false,
      required: ['name', 'arguments'],
      properties: { name: { type: 'string', minLength: 1 }, arguments: { type: 'string' } },
    },
    ...(strict ? {} : { caller }),
  },
});

/** @param strict false allows what is shown with strict compliance off */
function completion(strict: boolean): object {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['id', 'object', 'created', 'model', 'choices', 'usage', 'provider'],
    properties: {
      ...top,
      object: { const: 'chat.completion' },
      ...(strict ? {} : { container: {}, context_management: {} }),
      choices: {
        type: 'array',
        minItems: 1,
        maxItems: 1,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['index', 'message', 'finish_reason', 'logprobs'],
          properties: {
            index: { const: 0 },
            logprobs: { type: 'null' },
            finish_reason: finish,
            ...(strict ? {} : { native_finish_reason: { type: 'string' }, stop_sequence: { type: 'string' }, stop_details: {} }),
            message: {
              type: 'object',
              additionalProperties: false,
              required: ['role', 'content', 'refusal'],
              properties: {
                role: { const: 'assistant' },
                content: { type: ['string', 'null'] },
                refusal: { type: 'null' },
                annotations: { type: 'array', minItems: 1, items: annotation },
                tool_calls: { type: 'array', minItems: 1, items: callOf(strict) },
                ...(strict ? {} : { content_blocks: { type: 'array', items: { type: 'object' } } }),
              },
            },
          },
        },
      },
    },
  };
}

function chunk(strict: boolean): object {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['id', 'object', 'created', 'model', 'choices', 'provider'],
    properties: {
      ...top,
      object: { const: 'chat.completion.chunk' },
      ...(strict ? {} : { container: {}, context_management: {} }),
      choices: {
        type: 'array',
        maxItems: 1,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['index', 'delta', 'finish_reason'],
          properties: {
            index: { const: 0 },
            finish_reason: { anyOf: [finish, { type: 'null' }] },
            ...(strict ? {} : { native_finish_reason: { type: 'string' }, stop_sequence: { type: 'string' }, stop_details: {} }),
            delta: {
              type: 'object',
              additionalProperties: false,
              properties: {
                role: { const: 'assistant' },
                content: { type: 'string' },
                annotations: { type: 'array', minItems: 1, items: annotation },
                tool_calls: {
                  type: 'array',
                  minItems: 1,
                  maxItems: 1,
                  items: {
                    type: 'object',
                    additionalProperties: false,
                    required: ['index', 'function'],
                    properties: {
                      index: { type: 'integer', minimum: 0 },
                      id: { type: 'string', minLength: 1 },
                      type: { const: 'function' },
                      function: {
                        type: 'object',
                        additionalProperties: false,
                        properties: { name: { type: 'string' }, arguments: { type: 'string' } },
                      },
                      ...(strict ? {} : { caller }),
                    },
                  },
                },
                ...(strict
                  ? {}
                  : {
                      content_blocks: {
                        type: 'array',
                        minItems: 1,
                        maxItems: 1,
                        items: {
                          type: 'object',
                          additionalProperties: false,
                          required: ['index', 'delta'],
                          properties: { index: { type: 'integer', minimum: 0 }, delta: { type: 'object', minProperties: 1 } },
                        },
                      },
                    }),
              },
            },
          },
        },
      },
    },
  };
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
const validators = {
  completion: { true: ajv.compile(completion(true)), false: ajv.compile(completion(false)) },
  chunk: { true: ajv.compile(chunk(true)), false: ajv.compile(chunk(false)) },
};

/** Errors in a response; empty if it is valid. */
export function problemsOf(kind: 'completion' | 'chunk', value: unknown, strict: boolean): readonly string[] {
  const validate = validators[kind][strict ? 'true' : 'false'];
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
}
