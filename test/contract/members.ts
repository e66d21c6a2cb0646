/** A request without a member and with it. */
export type MemberRow = readonly [name: string, without: object, withIt: object];

type Part = Readonly<Record<string, unknown>>;

const png = 'iVBORw0KGgo=';
const schema = { type: 'object', properties: { a: { type: 'string' } } };
const mark = { cache_control: { type: 'ephemeral' } };
const member = (name: string, value: unknown, beside: object = {}): MemberRow => [name, beside, { ...beside, [name]: value }];

const tool = { type: 'function', function: { name: 'f', description: 'd', parameters: schema } };
const other = { ...tool, function: { ...tool.function, name: 'g' } };
const offered = { tools: [tool] };
const user = (...parts: readonly Part[]) => ({ messages: [{ role: 'user', content: [{ type: 'text', text: 'q' }, ...parts] }] });
const turn = (more: object = {}) => ({
  messages: [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: 'x', ...more },
    { role: 'user', content: 'q' },
  ],
});
const messageWithName = (role: string, more: object = {}) => ({
  messages: [
    { role, content: 'x', ...more },
    { role: 'user', content: 'q' },
  ],
});
const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
const loop = (message: object = {}, result: object = {}) => ({
  ...offered,
  messages: [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: null, tool_calls: [call], ...message },
    { role: 'tool', tool_call_id: 'c1', content: 'r', ...result },
  ],
});
const pdf = (more: object = {}): Part => ({ type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=', ...more } });
const image = (more: object = {}): Part => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${png}`, ...more } });

/** Members of chat completions (OpenAI's reference, "Create chat completion"), and the gateway's own. */
export const chatMembers: readonly MemberRow[] = [
  member('temperature', 0.5),
  member('top_p', 0.5),
  member('frequency_penalty', 0.5),
  member('presence_penalty', 0.5),
  member('n', 2),
  member('stop', ['x']),
  member('seed', 7),
  member('logit_bias', { 5: 1 }),
  member('logprobs', true),
  member('top_logprobs', 3, { logprobs: true }),
  member('max_tokens', 77),
  member('response_format', { type: 'json_object' }),
  member('response_format', { type: 'json_schema', json_schema: { name: 'n', schema } }),
  [
    'json_schema.description',
    { response_format: { type: 'json_schema', json_schema: { name: 'n', schema } } },
    { response_format: { type: 'json_schema', json_schema: { name: 'n', description: 'd', schema } } },
  ],
  member('tools', [tool]),
  member('tools', [{ type: 'custom', custom: { name: 'c', description: 'x', format: { type: 'text' } } }]),
  ['tools[].function.strict', offered, { tools: [{ ...tool, function: { ...tool.function, strict: true } }] }],
  member('tool_choice', 'required', offered),
  member('tool_choice', { type: 'function', function: { name: 'f' } }, offered),
  member('tool_choice', { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [tool] } }, { tools: [tool, other] }),
  member('parallel_tool_calls', false, offered),
  member('functions', [tool.function]),
  member('function_call', { name: 'f' }, { functions: [tool.function] }),
  member('reasoning_effort', 'high'),
  member('reasoning_effort', 'xhigh'),
  member('verbosity', 'low'),
  member('modalities', ['text', 'audio'], { audio: { voice: 'alloy', format: 'wav' } }),
  member('audio', { voice: 'alloy', format: 'wav' }),
  member('prediction', { type: 'content', content: 'x' }),
  member('web_search_options', { search_context_size: 'low' }),
  member('store', true),
  member('metadata', { a: 'b' }),
  member('service_tier', 'flex'),
  member('safety_identifier', 'u1'),
  member('prompt_cache_key', 'k'),
  member('prompt_cache_options', { ttl: '1h' }),
  member('prompt_cache_retention', '24h'),
  member('user', 'u1'),
  member('moderation', { model: 'x' }),
  member('labels', { a: 'b' }),
  member('a_new_member', 1),
  ['an image', user(), user(image())],
  ['detail of an image', user(image()), user(image({ detail: 'low' }))],
  ['audio of a user', user(), user({ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } })],
  ['a file', user(), user(pdf())],
  ['a file by its id', user(), user({ type: 'file', file: { file_id: 'file-1' } })],
  ['the name of a file', user(pdf()), user(pdf({ filename: 'zz.pdf' }))],
  ['the mark of a text', user({ type: 'text', text: 'x' }), user({ type: 'text', text: 'x', ...mark })],
  ['the name of a user', messageWithName('user'), messageWithName('user', { name: 'bob' })],
  ['the name of a developer', messageWithName('developer'), messageWithName('developer', { name: 'bob' })],
  ['the name of an assistant', turn(), turn({ name: 'bob' })],
  ['a refusal', turn(), turn({ refusal: 'no' })],
  ['audio of an answer', turn(), turn({ audio: { id: 'audio_1' } })],
  ['sources of an answer', turn(), turn({ annotations: [{ type: 'url_citation', url_citation: { url: 'https://x' } }] })],
  ['thoughts of an answer', turn(), turn({ reasoning_content: 'hm' })],
  ['text beside calls', loop(), loop({ content: 'Let me' })],
  ['a call with free text', loop(), loop({ tool_calls: [call, { id: 'c2', type: 'custom', custom: { name: 'cc', input: 'zz' } }] })],
  ['a function call', turn(), { ...turn({ function_call: { name: 'f', arguments: '{}' } }), functions: [tool.function] }],
  ['an image in a result', loop(), loop({}, { content: [{ type: 'text', text: 'r' }, image()] })],
  ['the mark of a result', loop(), loop({}, mark)],
];

const ownTool = { name: 'f', description: 'd', input_schema: schema };
const ownOffered = { tools: [ownTool] };
const block = (...parts: readonly Part[]) => ({ messages: [{ role: 'user', content: [{ type: 'text', text: 'q' }, ...parts] }] });
const responseWith = (...parts: readonly Part[]) => ({
  messages: [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: [...parts, { type: 'text', text: 'x' }] },
    { role: 'user', content: 'q' },
  ],
});
const ownLoop = (use: object = {}, result: object = {}) => ({
  ...ownOffered,
  messages: [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: {}, ...use }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'r', ...result }] },
  ],
});
const text = { type: 'text', text: 'r' };
const document = (more: object = {}): Part => ({
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
  ...more,
});
const searchResult = { type: 'search_result', source: 'https://x', title: 'T', content: [{ type: 'text', text: 'abc' }] };

/** Members of the messages API (its reference, "Create a Message"). */
export const messagesMembers: readonly MemberRow[] = [
  member('system', 'S'),
  member('temperature', 0.5),
  member('top_p', 0.5),
  member('top_k', 5),
  member('stop_sequences', ['x']),
  member('metadata', { user_id: 'u' }),
  member('metadata', { other: 1 }),
  member('thinking', { type: 'enabled', budget_tokens: 2000 }),
  member('output_config', { effort: 'high' }),
  member('output_config', { effort: 'max' }),
  member('output_config', { format: { type: 'json_schema', schema } }),
  member('output_config', { task_budget: { type: 'tokens', total: 5 } }),
  member('container', 'c1'),
  member('context_management', { edits: [] }),
  member('mcp_servers', [{ type: 'url', url: 'https://x', name: 'm' }]),
  member('tools', [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }]),
  member('tools', [{ type: 'code_execution_20250522', name: 'code_execution' }]),
  member('tools', [{ type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 2 }]),
  member('tools', [{ type: 'bash_20250124', name: 'bash' }]),
  member('tool_choice', { type: 'any' }, ownOffered),
  member('tool_choice', { type: 'none' }, ownOffered),
  member('tool_choice', { type: 'auto', disable_parallel_tool_use: true }, ownOffered),
  member('speed', 'fast'),
  member('inference_geo', 'eu'),
  member('cache_control', { type: 'ephemeral' }),
  member('a_new_member', 1),
  ['the mark of an instruction', { system: [text] }, { system: [{ ...text, ...mark }] }],
  ['the mark of a text', block(text), block({ ...text, ...mark })],
  ['a document', block(), block(document())],
  ['its title', block(document()), block(document({ title: 'T' }))],
  ['its context', block(document()), block(document({ context: 'C' }))],
  ['its citations', block(document()), block(document({ citations: { enabled: true } }))],
  ['a stored document', block(), block({ type: 'document', source: { type: 'file', file_id: 'file_1' } })],
  ['a search result', block(), block(searchResult)],
  ['an upload', block(), block({ type: 'container_upload', file_id: 'file_1' })],
  ['an error', ownLoop(), ownLoop({}, { is_error: true })],
  [
    'an image in a result',
    ownLoop(),
    ownLoop({}, { content: [text, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }] }),
  ],
  ['a document in a result', ownLoop(), ownLoop({}, { content: [text, document()] })],
  ['a search result in a result', ownLoop(), ownLoop({}, { content: [text, searchResult] })],
  ['a tool in a result', ownLoop(), ownLoop({}, { content: [text, { type: 'tool_reference', tool_name: 'f' }] })],
  ['the mark of a result', ownLoop(), ownLoop({}, mark)],
  ['the mark of a call', ownLoop(), ownLoop(mark)],
  ['who made a call', ownLoop(), ownLoop({ caller: { type: 'code_execution_20250825', tool_id: 'x' } })],
  ...Object.entries({
    strict: true,
    ...mark,
    defer_loading: true,
    input_examples: [{ a: 'x' }],
    allowed_callers: ['direct'],
    eager_input_streaming: true,
  }).map(([name, value]): MemberRow => [`${name} of a tool`, ownOffered, { tools: [{ ...ownTool, [name]: value }] }]),
  ['a thought', responseWith(), responseWith({ type: 'thinking', thinking: 'hm', signature: 'EqQB' })],
  ['a hidden thought', responseWith(), responseWith({ type: 'redacted_thinking', data: 'EqQB' })],
  ['a step of the API', responseWith(), responseWith({ type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'z' } })],
];
