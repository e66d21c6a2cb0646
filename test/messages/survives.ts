import type { Json } from '../contract/gemini-oracle.ts';
import { column, type Row } from '../client-formats/cell.ts';

export const columns = [
  column('OpenAI, models that reason', 'openai', 'gpt-5'),
  column('Other services of the chat format', 'groq', 'llama-3.3-70b'),
  column('Gemini', 'gemini', 'gemini-2.5-flash'),
  column('Bedrock, not Claude', 'bedrock', 'amazon.nova-2-lite-v1:0', { region: 'us-east-1' }),
] as const;

const user = (...content: Json[]): Json => ({ messages: [{ role: 'user', content }] });
const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: { proven: 1 } }] };
const after = (result: Json, ...assistant: Json[]): Json => ({
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [...assistant, ...call.content] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', ...result }] },
  ],
  tools: [{ name: 'f', input_schema: { type: 'object', properties: { a: { type: 'string' } } } }],
});
const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
const serverTool = (type: string, name: string): Json => ({ tools: [{ type, name }] });
const ownTool = { name: 'proven', description: 'd', input_schema: { type: 'object', properties: { a: { type: 'string' } } } };

/** The table of `docs/messages.md`. */
export const rows: readonly Row[] = [
  { name: 'system text and blocks', body: { system: [{ type: 'text', text: 'proven' }] }, proof: /proven/, lost: 'system', cells: '✓✓✓✓' },
  { name: 'images by value', body: user(png), proof: /iVBORw0KGgo/, lost: 'messages', cells: '✓✓✓✓' },
  {
    name: 'PDF documents',
    body: user(
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQK' } },
      { type: 'text', text: 'Read' },
    ),
    proof: /JVBERi0xLjQK/,
    lost: 'messages',
    cells: '✓✓✓✓',
  },
  {
    name: 'text documents and search results, as text',
    body: user({ type: 'document', title: 't', source: { type: 'text', media_type: 'text/plain', data: 'proven' } }),
    proof: /proven/,
    lost: 'messages',
    cells: '✓✓✓✓',
  },
  { name: 'tools, tool use and results', body: after({ content: 'done' }), proof: /proven[^]*done/, lost: 'messages', cells: '✓✓✓✓' },
  { name: 'images in results', body: after({ content: [png] }), proof: /iVBORw0KGgo/, lost: 'messages', cells: '✓✓✓✓' },
  {
    name: '`is_error` of a result',
    body: after({ content: 'no', is_error: true }),
    proof: /"error"/,
    lost: 'messages[].content[].tool_result.is_error',
    cells: '––✓✓',
  },
  {
    name: '`tool_choice`',
    body: { tools: [ownTool], tool_choice: { type: 'tool', name: 'proven' } },
    proof: /proven[^]*proven/,
    lost: 'tool_choice',
    cells: '✓✓✓✓',
  },
  {
    name: '`disable_parallel_tool_use`',
    body: { tools: [ownTool], tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    proof: /"parallel_tool_calls":false/,
    lost: 'tool_choice.disable_parallel_tool_use',
    cells: '✓✓––',
  },
  {
    name: '`thinking` with a budget',
    body: { thinking: { type: 'enabled', budget_tokens: 2048 } },
    proof: /medium|2048/,
    lost: 'thinking',
    cells: '✓–✓–',
  },
  {
    name: '`output_config.effort`',
    body: { output_config: { effort: 'low' } },
    proof: /"low"|[tT]hinking/,
    lost: 'output_config.effort',
    cells: '✓–✓✓',
  },
  {
    name: 'thoughts of earlier turns',
    body: after({ content: 'done' }, { type: 'thinking', thinking: 'proven thought', signature: 'gateway:unsigned' }),
    proof: /proven thought/,
    lost: 'messages[].content[].thinking',
    cells: '––––',
  },
  {
    name: '`cache_control`',
    body: { system: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }] },
    proof: /cachePoint/,
    lost: 'messages[].content[].cache_control',
    cells: '–––✓',
  },
  { name: '`stop_sequences`', body: { stop_sequences: ['proven'] }, proof: /proven/, lost: 'stop_sequences', cells: '–✓✓✓' },
  { name: '`metadata.user_id`', body: { metadata: { user_id: 'proven' } }, proof: /proven/, lost: 'metadata.user_id', cells: '✓✓––' },
  { name: '`top_k`', body: { top_k: 7 }, proof: /top_?k":7/i, lost: 'top_k', cells: '––✓✓' },
  {
    name: '`output_config.format`',
    body: {
      output_config: {
        format: {
          type: 'json_schema',
          schema: { type: 'object', properties: { proven: { type: 'string' } }, required: ['proven'], additionalProperties: false },
        },
      },
    },
    proof: /proven/,
    lost: 'output_config.format',
    cells: '✓✓✓✓',
  },
  {
    name: 'web search',
    body: serverTool('web_search_20250305', 'web_search'),
    proof: /googleSearch/,
    lost: 'tools[].web_search_20250305',
    cells: '––✓–',
  },
  {
    name: 'web fetch',
    body: serverTool('web_fetch_20250910', 'web_fetch'),
    proof: /urlContext/,
    lost: 'tools[].web_fetch_20250910',
    cells: '––✓–',
  },
  {
    name: 'code execution',
    body: serverTool('code_execution_20250825', 'code_execution'),
    proof: /codeExecution/,
    lost: 'tools[].code_execution_20250825',
    cells: '––✓–',
  },
  { name: '`mcp_servers`', body: { mcp_servers: [{ name: 'proven' }] }, proof: /proven/, lost: 'mcp_servers', cells: '––––' },
  {
    name: '`context_management`, `container`',
    body: { context_management: { edits: [] }, container: 'proven' },
    proof: /proven/,
    lost: 'container',
    cells: '––––',
  },
];
