import { expect, it } from 'vitest';
import { responseEvents } from './whole-as-events.ts';

const page = { type: 'url_citation', url: 'https://h.example', title: 'H', start_index: 0, end_index: 1 };
const summary = (text: string): object => ({ type: 'summary_text', text });

function eventsOf(response: Record<string, unknown>): readonly Record<string, unknown>[] {
  return (responseEvents({ status: 'completed', ...response }) ?? '')
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => JSON.parse(block.slice(block.indexOf('data: ') + 6)) as Record<string, unknown>);
}

/** The events of one item between its start and its end: their names without `response.`, and the added content. */
function itemEvents(item: object): readonly unknown[] {
  const events = eventsOf({ output: [item] });
  const names = events.map(({ type }) => String(type));
  const [start, end] = [names.indexOf('response.output_item.added'), names.indexOf('response.output_item.done')];
  return events
    .slice(start + 1, end)
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
    { id: 'i1', type: 'function_call', arguments: '{}' },
    [
      ['function_call_arguments.delta', '{}'],
      ['function_call_arguments.done', undefined],
    ],
  ],
  ['a call without an id, whose deltas would belong to no item', { type: 'function_call', arguments: '{}' }, []],
  [
    'a call of a custom tool',
    { id: 'i1', type: 'custom_tool_call', input: 'ls' },
    [
      ['custom_tool_call_input.delta', 'ls'],
      ['custom_tool_call_input.done', undefined],
    ],
  ],
  [
    'a call of an MCP server',
    { id: 'i1', type: 'mcp_call', arguments: '{}', output: 'y' },
    [
      ['mcp_call_arguments.delta', '{}'],
      ['mcp_call_arguments.done', undefined],
    ],
  ],
  [
    'a call of the code interpreter',
    { id: 'i1', type: 'code_interpreter_call', code: 'print(1)' },
    [
      ['code_interpreter_call_code.delta', 'print(1)'],
      ['code_interpreter_call_code.done', undefined],
    ],
  ],
  [
    'the reasoning of an open model',
    { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
    [
      ['content_part.added', undefined],
      ['reasoning_text.delta', 'Hm.'],
      ['reasoning_text.done', undefined],
      ['content_part.done', undefined],
    ],
  ],
  ['a request to approve a tool call', { type: 'mcp_approval_request', arguments: '{}' }, []],
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
])('responseEvents streams %s of a complete response', (_name, item, events) => {
  expect(itemEvents(item)).toEqual(events);
});

it('responseEvents streams logprobs with the text delta', () => {
  const logprobs = [{ token: 'x', logprob: -0.1, top_logprobs: [] }];
  const part = { type: 'output_text', text: 'x', annotations: [], logprobs };
  const events = eventsOf({ output: [{ type: 'message', content: [part] }] });
  const logprobsByType = events.map(({ type, logprobs: eventLogprobs, part: added }) => [
    type,
    eventLogprobs ?? (added as typeof part | undefined)?.logprobs,
  ]);
  expect(logprobsByType.slice(2, 6)).toEqual([
    ['response.content_part.added', []],
    ['response.output_text.delta', logprobs],
    ['response.output_text.done', logprobs],
    ['response.content_part.done', logprobs],
  ]);
});

it.each<[string, object, object]>([
  [
    'without its final image',
    { type: 'image_generation_call', status: 'completed', result: 'AAAA' },
    { status: 'in_progress', result: null },
  ],
  ['without a status if the complete item has none', { type: 'compaction', encrypted_content: 'e' }, { encrypted_content: 'e' }],
  [
    'without its later reasoning',
    { type: 'reasoning', summary: [summary('a')], content: [{ type: 'reasoning_text', text: 'b' }] },
    { summary: [], content: [] },
  ],
])('responseEvents starts an item %s', (_name, item, begin) => {
  const [, added] = eventsOf({ output: [item] });
  expect(added?.['item']).toEqual({ type: (item as { type: string }).type, ...begin });
});

it('responseEvents starts a response without the fields of its end', () => {
  const end = { incomplete_details: { reason: 'max_output_tokens' }, error: null, completed_at: 5, usage: { output_tokens: 1 } };
  const [created, terminal] = eventsOf({ status: 'incomplete', output: [], ...end });
  expect(created?.['response']).toEqual({
    status: 'in_progress',
    output: [],
    incomplete_details: null,
    error: null,
    completed_at: null,
    usage: null,
  });
  expect(terminal?.['response']).toEqual({ status: 'incomplete', output: [], ...end });
});
