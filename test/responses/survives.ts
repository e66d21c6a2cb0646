import type { Json } from '../contract/gemini-oracle.ts';
import { column, type Row } from '../client-formats/cell.ts';

export const columns = [
  column('Claude', 'anthropic', 'claude-sonnet-4-5'),
  column('Gemini', 'gemini', 'gemini-2.5-flash'),
  column('Services of the chat format', 'cerebras', 'gpt-oss-120b'),
  column('Bedrock, not Claude', 'bedrock', 'amazon.nova-2-lite-v1:0', { region: 'us-east-1' }),
] as const;

const user = (...content: Json[]): Json => ({ input: [{ type: 'message', role: 'user', content }] });
const call = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"proven":1}' };
const after = (output: unknown, ...before: Json[]): Json => ({
  input: [{ role: 'user', content: 'Hi' }, ...before, call, { type: 'function_call_output', call_id: 'call_1', output }],
  tools: [{ type: 'function', name: 'f', parameters: { type: 'object', properties: { a: { type: 'string' } } } }],
});
const ownTool = { type: 'function', name: 'proven', parameters: { type: 'object', properties: { a: { type: 'string' } } } };
const png = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' };
const signature = `EqsB${'A'.repeat(60)}`;
const schema = { type: 'object', properties: { proven: { type: 'string' } }, required: ['proven'], additionalProperties: false };

/** The table of `docs/responses.md`. */
export const rows: readonly Row[] = [
  { name: '`instructions`', body: { instructions: 'proven' }, proof: /proven/, lost: 'instructions', cells: '✓✓✓✓' },
  { name: 'images by value', body: user(png), proof: /iVBORw0KGgo/, lost: 'input', cells: '✓✓✓✓' },
  {
    name: 'PDF files by value',
    body: user({ type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjQK' }),
    proof: /JVBERi0xLjQK/,
    lost: 'input',
    cells: '✓✓✓✓',
  },
  { name: 'functions, their calls and outputs', body: after('done'), proof: /proven[^]*done/, lost: 'input', cells: '✓✓✓✓' },
  { name: 'images in outputs', body: after([png]), proof: /iVBORw0KGgo/, lost: 'input', cells: '✓✓✓✓' },
  {
    name: 'tools with free text input (`custom`)',
    body: { tools: [{ type: 'custom', name: 'proven' }] },
    proof: /proven[^]*input/,
    lost: 'tools[].custom',
    cells: '✓✓✓✓',
  },
  {
    name: '`tool_choice`',
    body: { tools: [ownTool], tool_choice: { type: 'function', name: 'proven' } },
    proof: /proven[^]*proven/,
    lost: 'tool_choice',
    cells: '✓✓✓✓',
  },
  {
    name: '`parallel_tool_calls: false`',
    body: { tools: [ownTool], parallel_tool_calls: false },
    proof: /"parallel_tool_calls":false|"disable_parallel_tool_use":true/,
    lost: 'parallel_tool_calls',
    cells: '✓–✓–',
  },
  { name: '`reasoning.effort`', body: { reasoning: { effort: 'low' } }, proof: /low|[tT]hinking/, lost: 'reasoning.effort', cells: '✓✓✓✓' },
  {
    name: 'reasoning of earlier responses',
    body: after('done', {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'proven thought' }],
      encrypted_content: `gateway:thinking:${signature}`,
    }),
    proof: /proven thought/,
    lost: 'input[].reasoning',
    cells: '✓–––',
  },
  {
    name: '`text.format` with a schema',
    body: { text: { format: { type: 'json_schema', name: 'n', schema } } },
    proof: /proven/,
    lost: 'text.format',
    cells: '✓✓✓✓',
  },
  { name: '`text.verbosity`', body: { text: { verbosity: 'low' } }, proof: /verbosity/, lost: 'text.verbosity', cells: '––✓–' },
  { name: '`temperature`, `top_p`', body: { temperature: 0.125 }, proof: /0\.125/, lost: 'temperature', cells: '✓✓✓✓' },
  { name: '`max_output_tokens`', body: { max_output_tokens: 8765 }, proof: /8765/, lost: 'max_output_tokens', cells: '✓✓✓✓' },
  { name: '`user`', body: { user: 'proven' }, proof: /proven/, lost: 'user', cells: '✓–✓–' },
  {
    name: 'web search',
    body: { tools: [{ type: 'web_search' }] },
    proof: /web_search|googleSearch/,
    lost: 'tools[].web_search',
    cells: '✓✓––',
  },
  {
    name: "OpenAI's other tools",
    body: { tools: [{ type: 'code_interpreter', container: 'proven' }] },
    proof: /proven/,
    lost: 'tools[].code_interpreter',
    cells: '––––',
  },
  { name: '`store: true`', body: { store: true }, proof: /"store"/, lost: 'store', cells: '––––' },
  { name: '`truncation: auto`, `max_tool_calls`', body: { truncation: 'auto' }, proof: /truncation/, lost: 'truncation', cells: '––––' },
  {
    name: 'log probabilities, `top_logprobs`',
    body: { include: ['message.output_text.logprobs'], top_logprobs: 3 },
    proof: /logprobs/,
    lost: 'top_logprobs',
    cells: '–✓✓–',
  },
];
