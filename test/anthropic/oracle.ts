import type { Recording } from '../contract/recordings.ts';

type Json = Record<string, unknown>;

/** One assembled content block of a response. */
export interface ReadBlock {
  readonly type: string;
  text: string;
  thinking: string;
  signature: string;
  data: string;
  id: string;
  name: string;
  /** JSON text of the input of a call. */
  input: string;
  citations: unknown[];
  /** The received block, for other types of blocks. */
  readonly raw: Json;
}

/** The content of a response, read from the recorded bytes without any code of the gateway. */
export interface Reading {
  readonly id: string;
  readonly model: string;
  readonly blocks: readonly ReadBlock[];
  readonly stop: string | null;
  readonly usage: Json;
}

export function read({ stream, response }: Recording): Reading {
  return stream ? readStream(response.body ?? '') : readWhole(response.body ?? '');
}

function readWhole(body: string): Reading {
  const message = JSON.parse(body) as Json;
  const blocks = (message['content'] as Json[]).map((raw) => ({
    type: String(raw['type']),
    text: String(raw['text'] ?? ''),
    thinking: String(raw['thinking'] ?? ''),
    signature: String(raw['signature'] ?? ''),
    data: String(raw['data'] ?? ''),
    id: String(raw['id'] ?? ''),
    name: String(raw['name'] ?? ''),
    input: JSON.stringify(raw['input'] ?? {}),
    citations: (raw['citations'] ?? []) as unknown[],
    raw,
  }));
  return {
    id: String(message['id']),
    model: String(message['model']),
    blocks,
    stop: message['stop_reason'] as string | null,
    usage: message['usage'] as Json,
  };
}

function readStream(body: string): Reading {
  const blocks: ReadBlock[] = [];
  let start: Json = {};
  let usage: Json = {};
  let stop: string | null = null;
  for (const event of dataOf(body)) {
    const delta = (event['delta'] ?? {}) as Json;
    const block = blocks[event['index'] as number];
    if (event['type'] === 'message_start') {
      start = event['message'] as Json;
      usage = { ...(start['usage'] as Json) };
    } else if (event['type'] === 'content_block_start') {
      const raw = event['content_block'] as Json;
      blocks[event['index'] as number] = {
        type: String(raw['type']),
        text: String(raw['text'] ?? ''),
        thinking: String(raw['thinking'] ?? ''),
        signature: String(raw['signature'] ?? ''),
        data: String(raw['data'] ?? ''),
        id: String(raw['id'] ?? ''),
        name: String(raw['name'] ?? ''),
        input: '',
        citations: [...((raw['citations'] ?? []) as unknown[])],
        raw,
      };
    } else if (event['type'] === 'content_block_delta' && block !== undefined) {
      if (delta['type'] === 'text_delta') block.text += String(delta['text']);
      if (delta['type'] === 'thinking_delta') block.thinking += String(delta['thinking']);
      if (delta['type'] === 'signature_delta') block.signature += String(delta['signature']);
      if (delta['type'] === 'input_json_delta') block.input += String(delta['partial_json']);
      if (delta['type'] === 'citations_delta') block.citations.push(delta['citation']);
    } else if (event['type'] === 'message_delta') {
      stop = (delta['stop_reason'] as string | null | undefined) ?? stop;
      for (const [key, value] of Object.entries((event['usage'] ?? {}) as Json)) if (value !== null) usage[key] = value;
    }
  }
  return { id: String(start['id']), model: String(start['model']), blocks, stop, usage };
}

function dataOf(body: string): Json[] {
  return body
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => JSON.parse(line.slice(5)) as Json);
}

/** The expected content of the chat completion. */
export interface Expected {
  readonly id: string;
  readonly model: string;
  readonly content: string;
  readonly calls: readonly { readonly index: number; readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly finish: string;
  readonly native: string | null;
  readonly usage: { readonly prompt: number; readonly completion: number; readonly cached: number; readonly reasoning: number };
  /** By the index of the block in the API. */
  readonly thinking: ReadonlyMap<number, { readonly thinking: string; readonly signature: string }>;
  readonly redacted: ReadonlyMap<number, string>;
  readonly texts: ReadonlyMap<number, string>;
  readonly citations: ReadonlyMap<number, readonly unknown[]>;
  readonly others: ReadonlyMap<number, { readonly raw: Json; readonly input: string }>;
}

const finishes: Record<string, string> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'length',
  compaction: 'length',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

export function wantedOf({ id, model, blocks, stop, usage }: Reading): Expected {
  const numbered = blocks.map((block, index) => [index, block] as const);
  const ofType = (...types: string[]): (readonly [number, ReadBlock])[] => numbered.filter(([, { type }]) => types.includes(type));
  // The API's reference, `usage.iterations`: the top-level fields do not include the tokens of a compaction.
  const compactions = ((usage['iterations'] ?? []) as Json[]).filter(({ type }) => type === 'compaction');
  const tokens = (key: string): number => [usage, ...compactions].reduce((sum, one) => sum + Number(one[key] ?? 0), 0);
  const details = (usage['output_tokens_details'] ?? {}) as Json;
  return {
    id,
    model,
    content: ofType('text')
      .map(([, block]) => block.text)
      .join(''),
    calls: ofType('tool_use').map(([, { id: call, name, input, raw }], index) => ({
      index,
      id: call,
      name,
      // Calls from program code are complete in their start event.
      input: input === '' ? (raw['input'] ?? {}) : (JSON.parse(input) as unknown),
    })),
    finish: finishes[stop ?? ''] ?? 'stop',
    native: stop,
    usage: {
      prompt: tokens('input_tokens') + tokens('cache_creation_input_tokens') + tokens('cache_read_input_tokens'),
      completion: tokens('output_tokens'),
      cached: tokens('cache_read_input_tokens'),
      reasoning: Number(details['thinking_tokens'] ?? 0),
    },
    thinking: new Map(ofType('thinking').map(([index, { thinking, signature }]) => [index, { thinking, signature }])),
    redacted: new Map(ofType('redacted_thinking').map(([index, { data }]) => [index, data])),
    texts: new Map(ofType('text').map(([index, { text }]) => [index, text])),
    citations: new Map(
      ofType('text')
        .filter(([, { citations }]) => citations.length > 0)
        .map(([index, { citations }]) => [index, citations]),
    ),
    others: new Map(
      numbered
        .filter(([, { type }]) => !['text', 'thinking', 'redacted_thinking', 'tool_use'].includes(type))
        .map(([index, { raw, input }]) => [index, { raw, input }]),
    ),
  };
}
