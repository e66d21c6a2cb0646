import type { Dropped } from '../../../core/provider.ts';

/** Where the common form has another name than the messages API: the beginning of one, and what the client wrote. */
const names: readonly (readonly [hub: RegExp, own: string])[] = [
  [/^stop$/, 'stop_sequences'],
  [/^user$/, 'metadata.user_id'],
  [/^reasoning_effort$/, 'output_config.effort'],
  [/^response_format(?:\.json_schema)?/, 'output_config.format'],
  [/^parallel_tool_calls$/, 'tool_choice.disable_parallel_tool_use'],
  [/^max_(?:completion_)?tokens$/, 'max_tokens'],
  [/^web_search_options/, 'tools[].web_search'],
  [/^tools\[\]\.function\.parameters/, 'tools[].input_schema'],
  [/^tools\[\]\.function\./, 'tools[].'],
  [/^messages\[\]\.(?:reasoning_content|reasoning|content_blocks)$/, 'messages[].content[].thinking'],
  [/^messages\[\]\.(is_error|tool_call_id)$/, 'messages[].content[].tool_result.$1'],
  [/^messages\[\]\.tool_calls\[\]\./, 'messages[].content[].tool_use.'],
  [/^messages\[\]\.cache_control$/, 'messages[].content[].cache_control'],
  [/^messages\[\]\.content\[\]\.image_url/, 'messages[].content[].image'],
  [/^messages\[\]\.content\[\]\.file\.filename$/, 'messages[].content[].document.title'],
  [/^messages\[\]\.content\[\]\.file\b/, 'messages[].content[].document'],
];

/** What a provider could not take of a request in the common form, each in the client's own words once. */
export function ownNames(dropped: readonly Dropped[], stream: boolean): readonly Dropped[] {
  const found = new Map<string, Dropped>();
  for (const one of dropped) {
    // The gateway asked for it itself.
    if (one.param.startsWith('stream_options') && stream) continue;
    const row = names.find(([hub]) => hub.test(one.param));
    const param = row === undefined ? one.param : one.param.replace(row[0], row[1]);
    if (!found.has(param)) found.set(param, { ...one, param });
  }
  return [...found.values()];
}
