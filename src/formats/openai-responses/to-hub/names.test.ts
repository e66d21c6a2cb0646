import { expect, it } from 'vitest';
import { ownNames } from './names.ts';

it.each([
  ['max_tokens', 'max_output_tokens'],
  ['max_completion_tokens', 'max_output_tokens'],
  ['reasoning_effort', 'reasoning.effort'],
  ['verbosity', 'text.verbosity'],
  ['logprobs', 'include'],
  ['top_logprobs', 'top_logprobs'],
  ['response_format', 'text.format'],
  ['response_format.json_schema.strict', 'text.format.strict'],
  ['tools[].web_search_20250305', 'tools[].web_search'],
  ['tools[].web_search_20250305.user_location', 'tools[].web_search.user_location'],
  ['tools[].function.strict', 'tools[].strict'],
  ['messages[].reasoning_content', 'input[].reasoning'],
  ['messages[].content[].thinking', 'input[].reasoning'],
  ['messages[].content[].signature', 'input[].reasoning.encrypted_content'],
  ['messages[].tool_calls[].arguments', 'input[].function_call.arguments'],
  ['messages[].content[].image_url.url', 'input[].content[].input_image.image_url'],
  ['messages[].content[].image_url.detail', 'input[].content[].input_image.detail'],
  ['messages[].content[].file.filename', 'input[].content[].input_file.filename'],
  ['messages[].content[].input_audio', 'input[].content[].input_audio'],
  ['temperature', 'temperature'],
])('%s is %s in the responses API', (hub, own) => {
  expect(ownNames([{ param: hub, reason: 'r' }], false)).toEqual([{ param: own, reason: 'r' }]);
});

it('reports each once, and not what the gateway added', () => {
  const dropped = ['max_tokens', 'max_completion_tokens', 'stream_options', 'messages[].content_blocks'].map((param) => ({
    param,
    reason: 'r',
  }));
  expect(ownNames(dropped, true)).toEqual([{ param: 'max_output_tokens', reason: 'r' }]);
});
