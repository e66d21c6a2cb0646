import type { Dropped } from '../../../core/provider.ts';
import { type NameRule, renameDropped } from '../../shared/request/dropped-names.ts';

/** Names in the common format that differ from those of the responses API. */
const names: readonly NameRule[] = [
  [/^max_(?:completion_)?tokens$/, 'max_output_tokens'],
  [/^reasoning_effort$/, 'reasoning.effort'],
  [/^verbosity$/, 'text.verbosity'],
  [/^logprobs$/, 'include'],
  [/^response_format(?:\.json_schema)?/, 'text.format'],
  [/^tools\[\]\.web_search_\d+/, 'tools[].web_search'],
  [/^tools\[\]\.function\./, 'tools[].'],
  [/^messages\[\]\.(?:reasoning_content|reasoning|reasoning_details)$/, 'input[].reasoning'],
  [/^messages\[\]\.content\[\]\.(?:redacted_)?thinking/, 'input[].reasoning'],
  [/^messages\[\]\.content\[\]\.signature$/, 'input[].reasoning.encrypted_content'],
  [/^messages\[\]\.tool_call_id$/, 'input[].function_call_output.call_id'],
  [/^messages\[\]\.tool_calls\[\]\./, 'input[].function_call.'],
  [/^messages\[\]\.content\[\]\.image_url\.url$/, 'input[].content[].input_image.image_url'],
  [/^messages\[\]\.content\[\]\.image_url/, 'input[].content[].input_image'],
  [/^messages\[\]\.content\[\]\.file\b/, 'input[].content[].input_file'],
  [/^messages\[\]/, 'input[]'],
];

/** Renames the dropped parameters of a request in the common format to the client's names, each once. */
export const ownNames = (dropped: readonly Dropped[], stream: boolean): readonly Dropped[] => renameDropped(dropped, names, stream);
