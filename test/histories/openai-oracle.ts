import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json } from './assembled.ts';

/**
 * A strict schema of a chat completions conversation: members outside OpenAI's reference are rejected. `annotations`,
 * `parsed` and the `index` of a call are not in the reference, but recorded requests with them succeeded.
 */
const object = (properties: Json, required: readonly string[] = []): Json => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});
const text = { type: 'string' };
const textPart = object({ type: { const: 'text' }, text }, ['type', 'text']);
const refusalPart = object({ type: { const: 'refusal' }, refusal: text }, ['type', 'refusal']);
const orNull = (schema: Json): Json => ({ anyOf: [schema, { type: 'null' }] });
const fn = object({ name: { type: 'string', pattern: '^[a-zA-Z0-9_.:-]{1,64}$' }, arguments: text }, ['name', 'arguments']);

/** The schema of a message by its role, so that errors are about this role. */
const byRole = (roles: Readonly<Record<string, Json>>): Json => ({
  required: ['role'],
  properties: { role: { enum: Object.keys(roles) } },
  allOf: Object.entries(roles).map(([role, schema]) => ({
    if: { properties: { role: { const: role } }, required: ['role'] },
    then: schema,
  })),
});

export type Strictness = 'openai' | 'open' | 'mistral';

function schemaOf(strictness: Strictness): Json {
  const id = strictness === 'mistral' ? { type: 'string', pattern: '^[a-zA-Z0-9]{9}$' } : { type: 'string', minLength: 1, maxLength: 40 };
  const extra =
    strictness === 'openai'
      ? {
          refusal: orNull(text),
          name: text,
          audio: orNull(object({ id: { type: 'string', pattern: '^audio_(?!req_)' } }, ['id'])),
          function_call: orNull(fn),
          annotations: { type: 'array' },
          parsed: {},
        }
      : strictness === 'open'
        ? { name: text, reasoning_content: orNull(text), reasoning: orNull(text), function_call: orNull(fn) }
        : {};
  const call = object({ id, type: { const: 'function' }, function: fn, index: { type: 'integer' } }, ['id', 'type', 'function']);
  const assistant = {
    ...object(
      {
        role: { const: 'assistant' },
        content: { anyOf: [text, { type: 'null' }, { type: 'array', minItems: 1, items: { oneOf: [textPart, refusalPart] } }] },
        tool_calls: { type: 'array', minItems: 1, items: call },
        ...extra,
      },
      ['role'],
    ),
    // A message without anything else must have content.
    anyOf: [
      { properties: { content: { type: ['string', 'array'] } }, required: ['content'] },
      { required: ['tool_calls'] },
      { properties: { refusal: text }, required: ['refusal'] },
      { properties: { audio: { type: 'object' } }, required: ['audio'] },
      { properties: { function_call: { type: 'object' } }, required: ['function_call'] },
    ],
  };
  const tool = object(
    { role: { const: 'tool' }, tool_call_id: id, content: { anyOf: [text, { type: 'array', minItems: 1, items: textPart }] } },
    ['role', 'tool_call_id', 'content'],
  );
  const user = object({ role: { const: 'user' }, content: text }, ['role', 'content']);
  const functionMessage = object({ role: { const: 'function' }, name: text, content: text }, ['role', 'name', 'content']);
  return object(
    {
      model: text,
      messages: { type: 'array', items: byRole({ user, assistant, tool, function: functionMessage }) },
      tools: { type: 'array' },
      max_tokens: { type: 'integer' },
      max_completion_tokens: { type: 'integer' },
    },
    ['messages'],
  );
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
const validators = {
  openai: ajv.compile(schemaOf('openai')),
  open: ajv.compile(schemaOf('open')),
  mistral: ajv.compile(schemaOf('mistral')),
};

/** What a service of the OpenAI format would reject; empty for a valid conversation. */
export function chatRefusals(body: unknown, strictness: Strictness): readonly string[] {
  const validate = validators[strictness];
  if (!validate(body))
    return (validate.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
  const { messages } = body as { messages: readonly Json[] };
  return [...pairProblems(messages), ...(strictness === 'mistral' ? orderProblems(messages) : [])];
}

/** Each call must be followed by one result, and each result must belong to a call. */
function pairProblems(messages: readonly Json[]): string[] {
  const problems: string[] = [];
  let open: string[] = [];
  for (const message of messages) {
    if (message['role'] === 'tool') {
      const id = String(message['tool_call_id']);
      if (!open.includes(id)) problems.push(`no call has the id ${id}`);
      open = open.filter((one) => one !== id);
      continue;
    }
    if (open.length > 0) problems.push(`no result for ${open.join()}`);
    open = ((message['tool_calls'] ?? []) as Json[]).map((call) => String(call['id']));
    if (new Set(open).size < open.length) problems.push('an id twice');
  }
  return problems;
}

/** Rules of Mistral for messages that follow each other. */
function orderProblems(messages: readonly Json[]): string[] {
  return messages.flatMap(({ role, content, tool_calls: calls }, at): string[] => {
    const before = messages[at - 1]?.['role'];
    if (role === 'assistant' && (content ?? '') === '' && calls === undefined) return [`message ${at} is empty`];
    return role === 'user' && before === 'tool' ? [`message ${at}: user after tool`] : [];
  });
}
