import { isPlain, type Plain } from '../../../core/json/merge.ts';

const event = (data: Plain & { readonly type: string }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

const plainItems = (value: unknown): readonly Plain[] | undefined => (Array.isArray(value) ? value.filter(isPlain) : undefined);

/** Converts a whole message to the events of its stream, in general one delta per block; undefined if the object is not a message. */
export function messageEvents(answer: Plain): string | undefined {
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
function fragments(block: Plain): { readonly start: Plain; readonly deltas: readonly Plain[] } {
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
  if (!isPlain(input)) return { start: block, deltas: [] };
  return { start: { ...block, input: {} }, deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }] };
}

const ends: Readonly<Record<string, string>> = {
  completed: 'response.completed',
  incomplete: 'response.incomplete',
  failed: 'response.failed',
};

/** Converts a whole response of the responses API to the events of its stream; undefined if the response has not ended. */
export function responseEvents(answer: Plain): string | undefined {
  const items = plainItems(answer['output']);
  const last = Object.hasOwn(ends, String(answer['status'])) ? ends[String(answer['status'])] : undefined;
  if (items === undefined || last === undefined) return undefined;
  const begin = { ...answer, status: 'in_progress', output: [], usage: null };
  const events: (Plain & { readonly type: string })[] = [
    { type: 'response.created', response: begin },
    ...items.flatMap(itemEvents),
    { type: last, response: answer },
  ];
  return events.map(({ type, ...rest }, sequence_number) => event({ type, sequence_number, ...rest })).join('');
}

function itemEvents(item: Plain, output_index: number): (Plain & { readonly type: string })[] {
  const at = { output_index, item_id: item['id'] };
  const parts = plainItems(item['content']) ?? [];
  const args = item['arguments'];
  return [
    {
      type: 'response.output_item.added',
      output_index,
      item: {
        ...item,
        ...(item['type'] === 'message' ? { content: [] } : {}),
        ...(typeof args === 'string' ? { arguments: '' } : {}),
        status: 'in_progress',
      },
    },
    ...(item['type'] === 'message' ? parts.flatMap((part, content_index) => partEvents(part, { ...at, content_index })) : []),
    ...(typeof args === 'string'
      ? [
          { type: 'response.function_call_arguments.delta', ...at, delta: args },
          { type: 'response.function_call_arguments.done', ...at, arguments: args },
        ]
      : []),
    { type: 'response.output_item.done', output_index, item },
  ];
}

function partEvents(part: Plain, at: Plain): (Plain & { readonly type: string })[] {
  const word = part['type'] === 'refusal' ? 'refusal' : 'text';
  const text = part[word];
  const name = word === 'text' ? 'response.output_text' : 'response.refusal';
  return [
    { type: 'response.content_part.added', ...at, part: { ...part, [word]: '' } },
    ...(typeof text === 'string'
      ? [
          { type: `${name}.delta`, ...at, delta: text },
          { type: `${name}.done`, ...at, [word]: text },
        ]
      : []),
    { type: 'response.content_part.done', ...at, part },
  ];
}

/**
 * Converts whole images to the final events of their stream, one event per image, with the usage on the last one. A stream need
 * not contain partial images. Undefined if the object is not a list of images.
 */
export function imageEvents(kind: 'image_generation' | 'image_edit'): (answer: Plain) => string | undefined {
  return ({ data, created, usage, ...rest }) => {
    const images = plainItems(data) ?? [];
    if (images.length === 0) return undefined;
    const shared = { type: `${kind}.completed`, created_at: created, ...rest };
    return images.map((image, at) => event({ ...shared, ...image, ...(at === images.length - 1 ? { usage } : {}) })).join('');
  };
}
