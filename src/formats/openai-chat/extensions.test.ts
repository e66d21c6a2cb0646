import { JsonBody } from '../../core/json/body.ts';
import { describe, expect, it } from 'vitest';
import { dropExtensions } from './extensions.ts';
import { openHistory } from '../history/rules.ts';

const drop = (value: Record<string, unknown>) => {
  const { body, dropped } = dropExtensions(JsonBody.of(value));
  return { value: body.json(), dropped: dropped.map(({ param }) => param) };
};

describe('dropExtensions', () => {
  it.each(['labels', 'thinking', 'safety_settings', 'image_config', 'cached_content'])('removes and reports "%s"', (name) => {
    expect(drop({ model: 'm', [name]: { a: 1 }, seed: 3 })).toEqual({ value: { model: 'm', seed: 3 }, dropped: [name] });
  });

  it('removes and reports extensions inside messages', () => {
    const assistant = {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } },
      ],
      content_blocks: [],
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}', thought_signature: 'S' } }],
    };
    expect(drop({ model: 'm', messages: [{ role: 'user', content: 'a' }, assistant] })).toEqual({
      value: {
        model: 'm',
        messages: [
          { role: 'user', content: 'a' },
          {
            role: 'assistant',
            content: [{ type: 'text', text: 'Hi' }],
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
        ],
      },
      dropped: [
        'messages[].tool_calls[].thought_signature',
        'messages[].content_blocks',
        'messages[].content[].thinking',
        'messages[].content[].cache_control',
      ],
    });
  });

  it('removes and reports thinking of an assistant, unless the service reads it', () => {
    const messages = [
      { role: 'user', content: 'a', reasoning: 'of a user' },
      { role: 'assistant', content: 'b', reasoning_content: 'hm', reasoning: 'hm' },
    ];
    const withoutExtensions = [messages[0], { role: 'assistant', content: 'b' }];
    expect(drop({ messages })).toEqual({
      value: { messages: withoutExtensions },
      dropped: ['messages[].reasoning_content', 'messages[].reasoning'],
    });
    const body = JsonBody.of({ messages });
    expect(dropExtensions(body, openHistory)).toEqual({ body, dropped: [] });
  });

  it('leaves null as content if an assistant had only thinking next to its calls', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const message = { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'x' }], tool_calls: [call] };
    expect(drop({ messages: [message] }).value).toEqual({ messages: [{ role: 'assistant', content: null, tool_calls: [call] }] });
  });

  it('removes the search tool, and with the last tool the fields that need one', () => {
    expect(drop({ model: 'm', tools: [{ type: 'function', function: { name: 'vendor_search' } }], tool_choice: 'auto' })).toEqual({
      value: { model: 'm' },
      dropped: ['tools[].vendor_search'],
    });
  });

  const own = { type: 'function', function: { name: 'lookup' } };
  it.each([
    ['a dated type', { type: 'web_search_20250305', name: 'web_search' }],
    ['a dated type without search', { type: 'bash_20250124', name: 'web_search' }],
    ['a dated name inside', { type: 'web_search', name: 'web_search', web_search: { name: 'web_search_20250305' } }],
  ])("removes and reports Anthropic's tools with %s, and the choice of one", (_name, tool) => {
    const name = `tools[].${tool.type}`;
    expect(drop({ tools: [tool, own], tool_choice: 'auto' })).toEqual({ value: { tools: [own], tool_choice: 'auto' }, dropped: [name] });
    const tool_choice = { type: 'function', function: { name: 'web_search' } };
    expect(drop({ tools: [own, tool], tool_choice })).toEqual({ value: { tools: [own] }, dropped: [name, 'tool_choice'] });
    expect(drop({ tools: [tool], tool_choice: 'auto', seed: 1 })).toEqual({ value: { seed: 1 }, dropped: [name] });
  });

  it.each(['function', 'custom'])("leaves the client's own %s tools with a date in the name", (type) => {
    const body = { tools: [{ type, [type]: { name: 'report_20250305' } }] };
    expect(drop(body)).toEqual({ value: body, dropped: [] });
  });
});

describe('dropExtensions with standard and unknown fields', () => {
  const unchanged = {
    model: 'm',
    modalities: ['text'],
    metadata: { thinking: 'a word' },
    hologram: { labels: 1 },
    messages: [{ role: 'user', content: 'the words content_blocks, thinking and thought_signature' }],
    tools: [{ type: 'function', function: { name: 'google_search', parameters: { type: 'object' } } }],
  };

  it('returns the same body', () => {
    const body = JsonBody.of(unchanged);
    expect(dropExtensions(body).body).toBe(body);
    expect(dropExtensions(body).dropped).toEqual([]);
  });
});
