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

const responsesTool = { type: 'function', name: 'f', description: 'd', parameters: schema, strict: false };
const responsesCall = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' };
const input = (...items: readonly Part[]) => ({ input: [{ role: 'user', content: 'q' }, ...items, { role: 'user', content: 'q' }] });
const inputLoop = (one: object = {}, output: object = {}) => ({
  tools: [responsesTool],
  ...input({ ...responsesCall, ...one }, { type: 'function_call_output', call_id: 'c1', output: 'r', ...output }),
});
const customCall = { type: 'custom_tool_call', call_id: 'c1', name: 'f', input: 'x' };
const customLoop = (one: object = {}) => input({ ...customCall, ...one }, { type: 'custom_tool_call_output', call_id: 'c1', output: 'r' });
const inputPart = (...parts: readonly Part[]) => input({ role: 'user', content: [{ type: 'input_text', text: 'q' }, ...parts] });
const inputImage = { type: 'input_image', image_url: `data:image/png;base64,${png}` };
const inputFile = { type: 'input_file', file_data: 'data:application/pdf;base64,JVBERi0=' };
const reasoningItem = (more: object = {}) =>
  input({ type: 'reasoning', id: 'rs_1', summary: [], ...more }, { role: 'assistant', content: 'x' });

/** Members of the responses API (its reference, "Create a model response"), without those that only the response repeats. */
export const responsesMembers: readonly MemberRow[] = [
  member('instructions', 'S'),
  member('temperature', 0.5),
  member('top_p', 0.5),
  member('include', ['message.output_text.logprobs']),
  member('include', ['file_search_call.results']),
  member('top_logprobs', 3),
  member('top_logprobs', 3, { include: ['message.output_text.logprobs'] }),
  member('max_tool_calls', 3),
  member('parallel_tool_calls', false, { tools: [responsesTool] }),
  member('reasoning', { effort: 'high' }),
  member('reasoning', { context: 'all_turns' }),
  member('text', { verbosity: 'low' }),
  member('text', { format: { type: 'json_object' } }),
  member('text', { format: { type: 'json_schema', name: 'n', schema } }),
  [
    'text.format.description',
    { text: { format: { type: 'json_schema', name: 'n', schema } } },
    { text: { format: { type: 'json_schema', name: 'n', schema, description: 'd' } } },
  ],
  member('store', true),
  member('truncation', 'auto'),
  member('background', true),
  member('previous_response_id', 'resp_1'),
  member('conversation', 'conv_1'),
  member('prompt', { id: 'p' }),
  member('service_tier', 'flex'),
  member('safety_identifier', 'u1'),
  member('prompt_cache_key', 'k'),
  member('prompt_cache_options', { ttl: '1h' }),
  member('prompt_cache_retention', '24h'),
  member('user', 'u1'),
  member('moderation', { model: 'x' }),
  member('context_management', [{ type: 'compaction', compact_threshold: 1000 }]),
  member('access_programs', ['x']),
  member('image', { x: 1 }),
  member('labels', { a: 'b' }),
  member('a_new_member', 1),
  member('tools', [responsesTool]),
  member('tools', [{ type: 'custom', name: 'c', description: 'x' }]),
  member('tools', [{ type: 'namespace', name: 'n', description: 'd', tools: [responsesTool] }]),
  member('tools', [{ type: 'web_search' }]),
  ...['file_search', 'code_interpreter', 'mcp', 'image_generation', 'local_shell', 'shell', 'apply_patch', 'tool_search', 'computer'].map(
    (type) => member('tools', [{ type }]),
  ),
  ...Object.entries({ strict: true, allowed_callers: ['direct'], async: true, defer_loading: true, output_schema: schema }).map(
    ([name, value]): MemberRow => [`${name} of a tool`, { tools: [responsesTool] }, { tools: [{ ...responsesTool, [name]: value }] }],
  ),
  [
    'a grammar',
    { tools: [{ type: 'custom', name: 'c' }] },
    { tools: [{ type: 'custom', name: 'c', format: { type: 'grammar', syntax: 'regex', definition: 'a' } }] },
  ],
  member('tool_choice', 'required', { tools: [responsesTool] }),
  member('tool_choice', { type: 'function', name: 'f' }, { tools: [responsesTool] }),
  member(
    'tool_choice',
    { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] },
    { tools: [responsesTool, { ...responsesTool, name: 'g' }] },
  ),
  member('tool_choice', { type: 'file_search' }, { tools: [responsesTool] }),
  member('tool_choice', { type: 'mcp', server_label: 'x' }, { tools: [responsesTool] }),
  ['an image', inputPart(), inputPart(inputImage)],
  ['a stored image', inputPart(), inputPart({ type: 'input_image', file_id: 'file-1' })],
  ['detail of an image', inputPart(inputImage), inputPart({ ...inputImage, detail: 'low' })],
  ['a file', inputPart(), inputPart(inputFile)],
  ['the name of a file', inputPart(inputFile), inputPart({ ...inputFile, filename: 'zz.pdf' })],
  ['detail of a file', inputPart(inputFile), inputPart({ ...inputFile, detail: 'low' })],
  ['audio of a user', inputPart(), inputPart({ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } })],
  [
    'the breakpoint of a text',
    inputPart({ type: 'input_text', text: 'x' }),
    inputPart({ type: 'input_text', text: 'x', prompt_cache_breakpoint: { mode: 'x' } }),
  ],
  ['the phase of a message', input({ role: 'assistant', content: 'x' }), input({ role: 'assistant', content: 'x', phase: 'commentary' })],
  ['a new member of a message', input({ role: 'user', content: 'x' }), input({ role: 'user', content: 'x', novel: 1 })],
  ['a call', input(), inputLoop()],
  ...Object.entries({ namespace: 'n', caller: { type: 'program', call_id: 'p' }, async: true, novel: 1 }).flatMap(
    ([name, value]): MemberRow[] => [
      [`${name} of a call`, inputLoop(), inputLoop({ [name]: value })],
      [`${name} of a custom call`, customLoop(), customLoop({ [name]: value })],
    ],
  ),
  ['who made the call of an output', inputLoop(), inputLoop({}, { caller: { type: 'program', call_id: 'p' } })],
  ['an image in an output', inputLoop(), inputLoop({}, { output: [{ type: 'input_text', text: 'r' }, inputImage] })],
  ['a file in an output', inputLoop(), inputLoop({}, { output: [{ type: 'input_text', text: 'r' }, inputFile] })],
  ['a refusal', input({ role: 'assistant', content: [] }), input({ role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] })],
  [
    'sources of a response',
    input({ role: 'assistant', content: [{ type: 'output_text', text: 'x' }] }),
    input({
      role: 'assistant',
      content: [
        {
          type: 'output_text',
          text: 'x',
          annotations: [{ type: 'url_citation', url: 'https://x', title: 't', start_index: 0, end_index: 1 }],
        },
      ],
    }),
  ],
  ['a summary', reasoningItem(), reasoningItem({ summary: [{ type: 'summary_text', text: 'hm' }] })],
  ['reasoning', reasoningItem(), reasoningItem({ content: [{ type: 'reasoning_text', text: 'hm' }] })],
  ['encrypted reasoning', reasoningItem(), reasoningItem({ encrypted_content: 'gAAA' })],
  ['an image of the model', input(), input({ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: png })],
  ...[
    'web_search_call',
    'file_search_call',
    'code_interpreter_call',
    'mcp_call',
    'mcp_list_tools',
    'computer_call',
    'local_shell_call',
    'compaction',
    'item_reference',
  ].map((type): MemberRow => [`an item ${type}`, input(), input({ type, id: 'x_1' })]),
];
