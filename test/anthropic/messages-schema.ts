import { Ajv2020 } from 'ajv/dist/2020.js';

/** The request of the Messages API according to its reference. Unknown fields are errors. */
const cache = {
  cache_control: {
    type: 'object',
    additionalProperties: false,
    required: ['type'],
    properties: { type: { const: 'ephemeral' }, ttl: { enum: ['5m', '1h'] } },
  },
};
const block = (type: string, required: readonly string[], properties: object): object => ({
  type: 'object',
  additionalProperties: false,
  required: ['type', ...required],
  properties: { type: { const: type }, ...properties },
});
const nonBlank = { type: 'string', pattern: '\\S' };
const base64 = { type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$' };
const toolId = { type: 'string', pattern: '^[a-zA-Z0-9_-]+$' };
const toolName = { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,128}$' };

const text = block('text', ['text'], { text: nonBlank, ...cache });
const citation = (type: string, properties: object): object =>
  block(type, ['cited_text'], { cited_text: { type: 'string' }, ...properties });
const title = { type: ['string', 'null'] };
const index = { type: 'integer' };
const documentFields = { document_index: index, document_title: title, file_id: title };
/** Text of an assistant, with the citations of the API. */
const textBlock = block('text', ['text'], {
  text: nonBlank,
  ...cache,
  citations: {
    type: 'array',
    minItems: 1,
    items: {
      oneOf: [
        citation('char_location', { ...documentFields, start_char_index: index, end_char_index: index }),
        citation('page_location', { ...documentFields, start_page_number: index, end_page_number: index }),
        citation('content_block_location', { ...documentFields, start_block_index: index, end_block_index: index }),
        citation('web_search_result_location', { url: { type: 'string' }, title, encrypted_index: { type: 'string' } }),
        citation('search_result_location', {
          source: { type: 'string' },
          title,
          search_result_index: index,
          start_block_index: index,
          end_block_index: index,
        }),
      ],
    },
  },
});
const url = { type: 'string', pattern: '^https://' };
const image = block('image', ['source'], {
  ...cache,
  source: {
    oneOf: [
      block('base64', ['media_type', 'data'], {
        media_type: { enum: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] },
        data: base64,
      }),
      block('url', ['url'], { url }),
    ],
  },
});
const document = block('document', ['source'], {
  ...cache,
  title: { type: 'string' },
  source: {
    oneOf: [
      block('base64', ['media_type', 'data'], { media_type: { const: 'application/pdf' }, data: base64 }),
      block('text', ['media_type', 'data'], { media_type: { const: 'text/plain' }, data: { type: 'string' } }),
      block('url', ['url'], { url }),
      block('file', ['file_id'], { file_id: { type: 'string', minLength: 1 } }),
    ],
  },
});
const result = block('tool_result', ['tool_use_id'], {
  ...cache,
  tool_use_id: toolId,
  is_error: { type: 'boolean' },
  content: { anyOf: [{ type: 'string' }, { type: 'array', items: { oneOf: [text, image, document] } }] },
});
const use = block('tool_use', ['id', 'name', 'input'], { ...cache, id: toolId, name: toolName, input: { type: 'object' } });
const thinking = block('thinking', ['thinking', 'signature'], {
  thinking: { type: 'string' },
  signature: { type: 'string', minLength: 1 },
});
const redacted = block('redacted_thinking', ['data'], { data: { type: 'string', minLength: 1 } });

/** Calls and results of server tools, in pairs within one turn. */
const serverId = { type: 'string', pattern: '^(?:srvtoolu|mcptoolu)_[a-zA-Z0-9_]+$' };
const caller = { caller: { type: 'object', required: ['type'] } };
const webTools = ['web_search', 'web_fetch'];
const serverUse = (names: readonly string[]): object =>
  block('server_tool_use', ['id', 'name', 'input'], {
    ...cache,
    ...caller,
    id: serverId,
    name: { enum: names },
    input: { type: 'object' },
  });
const serverResult = (type: string): object =>
  block(type, ['tool_use_id', 'content'], { ...cache, ...caller, tool_use_id: serverId, content: { type: ['object', 'array'] } });
const compaction = block('compaction', [], { ...cache, content: { type: ['string', 'null'] }, encrypted_content: {}, signature: {} });
/** Blocks that a request may send back regardless of its tools. */
const steps = {
  direct: [serverUse(webTools), serverResult('web_search_tool_result'), serverResult('web_fetch_tool_result'), compaction],
  vertex: [serverUse(['web_search']), serverResult('web_search_tool_result'), compaction],
} as const;

const turn = (role: string, blocks: readonly object[]): object => ({
  type: 'object',
  additionalProperties: false,
  required: ['role', 'content'],
  properties: { role: { const: role }, content: { anyOf: [nonBlank, { type: 'array', minItems: 1, items: { oneOf: blocks } }] } },
});
const user = turn('user', [text, image, document, result]);

const choice = { disable_parallel_tool_use: { type: 'boolean' } };
const schemaOf = (flavor: 'direct' | 'vertex'): object => {
  const assistant = turn('assistant', [textBlock, thinking, redacted, use, ...steps[flavor]]);
  return schemaWith(assistant);
};
const schemaWith = (assistant: object): object => ({
  type: 'object',
  additionalProperties: false,
  required: ['model', 'max_tokens', 'messages'],
  properties: {
    model: { type: 'string', minLength: 1 },
    max_tokens: { type: 'integer', minimum: 1 },
    messages: { type: 'array', minItems: 1, prefixItems: [user], items: { oneOf: [user, assistant] } },
    system: { type: 'array', minItems: 1, items: text },
    temperature: { type: 'number', minimum: 0, maximum: 1 },
    top_p: { type: 'number', minimum: 0, maximum: 1 },
    top_k: { type: 'integer', minimum: 0 },
    stop_sequences: { type: 'array', minItems: 1, items: nonBlank },
    stream: { const: true },
    metadata: { type: 'object', additionalProperties: false, properties: { user_id: { type: 'string' } } },
    service_tier: { enum: ['auto', 'standard_only'] },
    thinking: {
      oneOf: [
        block('enabled', ['budget_tokens'], { budget_tokens: { type: 'integer', minimum: 1024 } }),
        block('disabled', [], {}),
        block('adaptive', [], { display: { enum: ['summarized', 'omitted'] } }),
      ],
    },
    output_config: {
      type: 'object',
      additionalProperties: false,
      properties: {
        effort: { enum: ['low', 'medium', 'high', 'xhigh', 'max'] },
        format: block('json_schema', ['schema'], { schema: { type: 'object' } }),
      },
    },
    tools: {
      type: 'array',
      minItems: 1,
      items: {
        oneOf: [
          {
            type: 'object',
            additionalProperties: false,
            required: ['name', 'input_schema'],
            properties: {
              ...cache,
              name: toolName,
              description: { type: 'string' },
              strict: { type: 'boolean' },
              input_schema: { type: 'object', required: ['type'], properties: { type: { const: 'object' } } },
            },
          },
          { type: 'object', required: ['type', 'name'], properties: { type: { pattern: '_\\d{8}$' } } },
        ],
      },
    },
    tool_choice: {
      oneOf: [
        block('auto', [], choice),
        block('any', [], choice),
        block('tool', ['name'], { name: toolName, ...choice }),
        block('none', [], {}),
      ],
    },
  },
  dependentRequired: { tool_choice: ['tools'] },
});

const ajv = new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true });
const validators = { direct: ajv.compile(schemaOf('direct')), vertex: ajv.compile(schemaOf('vertex')) };

type Json = Record<string, unknown>;

/** Errors that the API would return; empty for a valid request. */
export function refusals(body: unknown, flavor: 'direct' | 'vertex' = 'direct'): readonly string[] {
  const validate = validators[flavor];
  if (!validate(body)) return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  return [...orderProblems((body as { messages: Turn[] }).messages), ...fieldProblems(body as Json)];
}

interface Turn {
  readonly role: string;
  readonly content: string | readonly Json[];
}

/** Rules between turns: each call has a result, results are first, roles alternate. */
function orderProblems(turns: readonly Turn[]): string[] {
  const problems: string[] = [];
  const seen = new Set<unknown>();
  for (const [at, turn] of turns.entries()) {
    if (at > 0 && turns[at - 1]?.role === turn.role) problems.push(`/messages/${at} same role as before`);
    const blocks = blocksOf(turn);
    const calls = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
    for (const id of calls) if (seen.has(id)) problems.push(`/messages/${at} id ${String(id)} twice`);
    for (const id of calls) seen.add(id);
    const results = blocksOf(turns[at + 1])
      .filter(({ type }) => type === 'tool_result')
      .map((one) => one['tool_use_id']);
    if (turn.role === 'assistant' && JSON.stringify(calls) !== JSON.stringify(results))
      problems.push(`/messages/${at} calls without their results`);
    const lastResult = blocks.findLastIndex(({ type }) => type === 'tool_result');
    if (blocks.slice(0, lastResult + 1).some(({ type }) => type !== 'tool_result')) problems.push(`/messages/${at} results not first`);
    const isStep = ({ type }: Json): boolean => type === 'server_tool_use' || type === 'mcp_tool_use';
    const used = blocks.filter(isStep).map(({ id }) => id);
    const resultIds = blocks.filter(({ type }) => String(type).endsWith('_tool_result')).map((one) => one['tool_use_id']);
    const pairs = new Set([...used, ...resultIds]);
    if (pairs.size !== used.length || pairs.size !== resultIds.length) problems.push(`/messages/${at} steps without their results`);
    if (turn.role === 'assistant' && String(blocks.at(-1)?.['type']).endsWith('thinking'))
      problems.push(`/messages/${at} ends with thinking`);
    if (at === 0 && lastResult >= 0) problems.push('/messages/0 a result without a call');
  }
  const last = turns.at(-1);
  const end = last?.role === 'assistant' ? blocksOf(last).at(-1) : undefined;
  if (typeof end?.['text'] === 'string' && end['text'] !== end['text'].trimEnd()) problems.push('the last turn ends with white space');
  return problems;
}

const blocksOf = (turn: Turn | undefined): readonly Json[] => (turn === undefined || typeof turn.content === 'string' ? [] : turn.content);

/** Rules between fields. */
function fieldProblems(body: Json): string[] {
  const problems: string[] = [];
  const thinking = body['thinking'] as Json | undefined;
  const choice = (body['tool_choice'] as Json | undefined)?.['type'];
  if (typeof thinking?.['budget_tokens'] === 'number' && thinking['budget_tokens'] >= Number(body['max_tokens']))
    problems.push('budget over max_tokens');
  if (thinking !== undefined && thinking['type'] !== 'disabled') {
    if (choice === 'any' || choice === 'tool') problems.push('a forced tool while thinking');
    if (body['temperature'] !== undefined && body['temperature'] !== 1) problems.push('temperature while thinking');
    if (body['top_k'] !== undefined) problems.push('top_k while thinking');
  }
  const used = (body['messages'] as Turn[]).some((turn) => blocksOf(turn).some(({ type }) => type === 'tool_use'));
  if (used && body['tools'] === undefined) problems.push('calls without tools');
  return problems;
}
