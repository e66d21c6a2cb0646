import { expect, it } from 'vitest';
import { responseEvents } from './whole-as-events.ts';

const page = { type: 'url_citation', url: 'https://h.example', title: 'H', start_index: 0, end_index: 1 };
const summary = (text: string): object => ({ type: 'summary_text', text });

/** The events of one item between its beginning and its end: their names without `response.`, and what they add. */
function told(item: object): readonly unknown[] {
  const text = responseEvents({ status: 'completed', output: [item] }) ?? '';
  const events = text
    .split('\n\n')
    .filter((one) => one !== '')
    .map((one) => JSON.parse(one.slice(one.indexOf('data: ') + 6)) as Record<string, unknown>);
  const names = events.map(({ type }) => String(type));
  const [from, to] = [names.indexOf('response.output_item.added'), names.indexOf('response.output_item.done')];
  return events
    .slice(from + 1, to)
    .map(({ type, ...event }) => [String(type).replace('response.', ''), event['delta'] ?? event['annotation']]);
}

it.each<[string, object, unknown[]]>([
  [
    'a text with its sources',
    { type: 'message', content: [{ type: 'output_text', text: 'x', annotations: [page] }] },
    [
      ['content_part.added', undefined],
      ['output_text.delta', 'x'],
      ['output_text.annotation.added', page],
      ['output_text.done', undefined],
      ['content_part.done', undefined],
    ],
  ],
  [
    'a refusal',
    { type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] },
    [
      ['content_part.added', undefined],
      ['refusal.delta', 'No.'],
      ['refusal.done', undefined],
      ['content_part.done', undefined],
    ],
  ],
  [
    'a call',
    { type: 'function_call', arguments: '{}' },
    [
      ['function_call_arguments.delta', '{}'],
      ['function_call_arguments.done', undefined],
    ],
  ],
  [
    'a call of a custom tool',
    { type: 'custom_tool_call', input: 'ls' },
    [
      ['custom_tool_call_input.delta', 'ls'],
      ['custom_tool_call_input.done', undefined],
    ],
  ],
  [
    'a call of an MCP server',
    { type: 'mcp_call', arguments: '{}', output: 'y' },
    [
      ['mcp_call_arguments.delta', '{}'],
      ['mcp_call_arguments.done', undefined],
    ],
  ],
  ['a question whether to make one', { type: 'mcp_approval_request', arguments: '{}' }, []],
  [
    'a summary of the reasoning',
    { type: 'reasoning', summary: [summary('a'), summary('b')] },
    ['a', 'b'].flatMap((text) => [
      ['reasoning_summary_part.added', undefined],
      ['reasoning_summary_text.delta', text],
      ['reasoning_summary_text.done', undefined],
      ['reasoning_summary_part.done', undefined],
    ]),
  ],
])('streams %s of a whole response', (_name, item, events) => {
  expect(told(item)).toEqual(events);
});
