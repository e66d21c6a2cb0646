import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';

const event = (data: JsonObject & { readonly type: string }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

const plainItems = (value: unknown): readonly JsonObject[] | undefined => (Array.isArray(value) ? value.filter(isJsonObject) : undefined);

/** Converts a whole message to the events of its stream, in general one delta per block; undefined if the object is not a message. */
export function messageEvents(answer: JsonObject): string | undefined {
  const { content, stop_reason, stop_sequence, stop_details, container, context_management, usage, ...head } = answer;
  const blocks = plainItems(content);
  if (blocks === undefined) return undefined;
  const begin = { ...head, content: [], stop_reason: null, stop_sequence: null, usage };
  const delta = { stop_reason, stop_sequence, stop_details, container };
  return [
    event({ type: 'message_start', message: begin }),
    ...blocks.flatMap((block, index) => {
      const { start, deltas } = fragments(block);
      return [
        event({ type: 'content_block_start', index, content_block: start }),
        ...deltas.map((one) => event({ type: 'content_block_delta', index, delta: one })),
        event({ type: 'content_block_stop', index }),
      ];
    }),
    event({ type: 'message_delta', delta, usage, context_management }),
    event({ type: 'message_stop' }),
  ].join('');
}

/** Splits a block into its start and its deltas. Only these members are split: client libraries join no others. */
function fragments(block: JsonObject): { readonly start: JsonObject; readonly deltas: readonly JsonObject[] } {
  const { text, citations, thinking, signature, input } = block;
  if (block['type'] === 'text') {
    const cited = plainItems(citations) ?? [];
    return {
      start: { ...block, text: '', ...(cited.length === 0 ? {} : { citations: [] }) },
      deltas: [...cited.map((citation) => ({ type: 'citations_delta', citation })), { type: 'text_delta', text }],
    };
  }
  if (block['type'] === 'thinking') {
    const deltas = [
      { type: 'thinking_delta', thinking },
      { type: 'signature_delta', signature },
    ];
    return { start: { ...block, thinking: '', signature: '' }, deltas };
  }
  if (!isJsonObject(input)) return { start: block, deltas: [] };
  return { start: { ...block, input: {} }, deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }] };
}

const endEvents: Readonly<Record<string, string>> = {
  completed: 'response.completed',
  incomplete: 'response.incomplete',
  failed: 'response.failed',
};

/** Converts a whole response of the responses API to the events of its stream; undefined if the response has not ended. */
export function responseEvents(response: JsonObject): string | undefined {
  const items = plainItems(response['output']);
  const last = Object.hasOwn(endEvents, String(response['status'])) ? endEvents[String(response['status'])] : undefined;
  if (items === undefined || last === undefined) return undefined;
  const begin = { ...response, ...withNulls(response, endMembers), status: 'in_progress', output: [], usage: null };
  const events: readonly ResponseEvent[] = [
    { type: 'response.created', response: begin },
    ...items.flatMap(itemEvents),
    { type: last, response },
  ];
  return events.map(({ type, ...rest }, sequence_number) => event({ type, sequence_number, ...rest })).join('');
}

type ResponseEvent = JsonObject & { readonly type: string };

/** Members of a response that are null until it ends. */
const endMembers = ['error', 'incomplete_details', 'completed_at'] as const;

const withNulls = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.filter((name) => name in object).map((name) => [name, null]));

/** The member of an item that is streamed as text, and the name of its events. */
const streamedInputs: Readonly<Record<string, readonly [member: string, name: string]>> = {
  function_call: ['arguments', 'response.function_call_arguments'],
  mcp_call: ['arguments', 'response.mcp_call_arguments'],
  custom_tool_call: ['input', 'response.custom_tool_call_input'],
  code_interpreter_call: ['code', 'response.code_interpreter_call_code'],
};

function itemEvents(item: JsonObject, output_index: number): readonly ResponseEvent[] {
  const at = { output_index, item_id: item['id'] };
  const { begin, events } = streamedItem(item, at);
  const status = item['status'] === undefined ? {} : { status: 'in_progress' };
  return [
    { type: 'response.output_item.added', output_index, item: { ...item, ...begin, ...status } },
    ...events,
    { type: 'response.output_item.done', output_index, item },
  ];
}

/** Splits an item into the members with which it begins empty, and the events that fill them. */
function streamedItem(item: JsonObject, at: JsonObject): { readonly begin: JsonObject; readonly events: readonly ResponseEvent[] } {
  const type = String(item['type']);
  // Client libraries reject deltas that belong to no item: without an id, which calls may lack, the item is sent complete.
  if (typeof item['id'] !== 'string' && Object.hasOwn(streamedInputs, type)) return { begin: {}, events: [] };
  if (type === 'message') return { begin: { content: [] }, events: contentEvents(item, at) };
  if (type === 'reasoning') {
    const parts = plainItems(item['summary']) ?? [];
    const summaries = parts.flatMap((part, summary_index) => summaryEvents(part, { ...at, summary_index }));
    // Open models send their thoughts as content, besides or instead of a summary.
    const content = Array.isArray(item['content']) ? { content: [] } : {};
    return { begin: { summary: [], ...content }, events: [...contentEvents(item, at), ...summaries] };
  }
  if (type === 'image_generation_call') return { begin: withNulls(item, ['result']), events: [] };
  const [member, name] = (Object.hasOwn(streamedInputs, type) ? streamedInputs[type] : undefined) ?? [];
  const text = member === undefined ? undefined : item[member];
  if (member === undefined || typeof text !== 'string') return { begin: {}, events: [] };
  return {
    begin: { [member]: '' },
    events: [
      { type: `${name}.delta`, ...at, delta: text },
      { type: `${name}.done`, ...at, [member]: text },
    ],
  };
}

const contentEvents = (item: JsonObject, at: JsonObject): readonly ResponseEvent[] =>
  (plainItems(item['content']) ?? []).flatMap((part, content_index) => partEvents(part, { ...at, content_index }));

/** The member of a part that contains its text, and the name of its events. All other parts are like `output_text`. */
const partTexts: Readonly<Record<string, readonly [member: string, name: string]>> = {
  refusal: ['refusal', 'response.refusal'],
  reasoning_text: ['text', 'response.reasoning_text'],
};
const outputText = ['text', 'response.output_text'] as const;

function partEvents(part: JsonObject, at: JsonObject): readonly ResponseEvent[] {
  const type = String(part['type']);
  const [member, name] = (Object.hasOwn(partTexts, type) ? partTexts[type] : undefined) ?? outputText;
  const text = part[member];
  const sources = plainItems(part['annotations']);
  const scores = plainItems(part['logprobs']);
  // Client libraries read `logprobs` of the delta, and expect it in each event of an output text.
  const scored = name === outputText[1] ? { logprobs: scores ?? [] } : {};
  const begin = { [member]: '', ...(sources === undefined ? {} : { annotations: [] }), ...(scores === undefined ? {} : { logprobs: [] }) };
  return [
    { type: 'response.content_part.added', ...at, part: { ...part, ...begin } },
    ...(typeof text === 'string' ? [{ type: `${name}.delta`, ...at, delta: text, ...scored }] : []),
    ...(sources ?? []).map((annotation, annotation_index) => ({
      type: 'response.output_text.annotation.added',
      ...at,
      annotation_index,
      annotation,
    })),
    ...(typeof text === 'string' ? [{ type: `${name}.done`, ...at, [member]: text, ...scored }] : []),
    { type: 'response.content_part.done', ...at, part },
  ];
}

function summaryEvents(part: JsonObject, at: JsonObject): readonly ResponseEvent[] {
  const { text } = part;
  return [
    { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
    { type: 'response.reasoning_summary_text.delta', ...at, delta: text },
    { type: 'response.reasoning_summary_text.done', ...at, text },
    { type: 'response.reasoning_summary_part.done', ...at, part },
  ];
}

/**
 * Converts whole images to the final events of their stream, one event per image, with the usage on the last one. A stream need
 * not contain partial images. Undefined if the object is not a list of images.
 */
export function imageEvents(kind: 'image_generation' | 'image_edit'): (answer: JsonObject) => string | undefined {
  return ({ data, created, usage, ...rest }) => {
    const images = plainItems(data) ?? [];
    if (images.length === 0) return undefined;
    const shared = { type: `${kind}.completed`, created_at: created, ...rest };
    return images.map((image, at) => event({ ...shared, ...image, ...(at === images.length - 1 ? { usage } : {}) })).join('');
  };
}
