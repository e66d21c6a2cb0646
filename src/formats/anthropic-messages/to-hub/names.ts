import type { Dropped } from '../../../core/provider.ts';
import { type NameRule, renameDropped } from '../../shared/request/dropped-names.ts';

/** Names in the common format that differ from those of the messages API. */
const names: readonly NameRule[] = [
  [/^stop$/, 'stop_sequences'],
  [/^user$/, 'metadata.user_id'],
  [/^reasoning_effort$/, 'output_config.effort'],
  [/^response_format(?:\.json_schema)?/, 'output_config.format'],
  [/^parallel_tool_calls$/, 'tool_choice.disable_parallel_tool_use'],
  [/^max_(?:completion_)?tokens$/, 'max_tokens'],
  [/^web_search_options/, 'tools[].web_search'],
  [/^tools\[\]\.function\.parameters/, 'tools[].input_schema'],
  [/^tools\[\]\.function\./, 'tools[].'],
  [/^messages\[\]\.(?:reasoning_content|reasoning|reasoning_details)$/, 'messages[].content[].thinking'],
  [/^messages\[\]\.is_error$/, 'messages[].content[].tool_result.is_error'],
  [/^messages\[\]\.tool_call_id$/, 'messages[].content[].tool_result.tool_use_id'],
  [/^messages\[\]\.tool_calls\[\]\.arguments$/, 'messages[].content[].tool_use.input'],
  [/^messages\[\]\.tool_calls\[\]\./, 'messages[].content[].tool_use.'],
  [/^messages\[\]\.cache_control$/, 'messages[].content[].cache_control'],
  [/^messages\[\]\.content\[\]\.image_url/, 'messages[].content[].image'],
  [/^messages\[\]\.content\[\]\.file\.filename$/, 'messages[].content[].document.title'],
  [/^messages\[\]\.content\[\]\.file\b/, 'messages[].content[].document'],
];

/** Renames the dropped parameters of a request in the common format to the client's names, each once. */
export const ownNames = (dropped: readonly Dropped[], stream: boolean): readonly Dropped[] => renameDropped(dropped, names, stream);
