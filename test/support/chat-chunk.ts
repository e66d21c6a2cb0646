import type { ChatCompletionChunk } from 'openai/resources/chat/completions';

/** Parses and validates streams of chat completion chunks as a strict client library would. */

type Check = (value: unknown, path: string) => string[];
type Shape = Readonly<Record<string, { readonly check: Check; readonly optional?: true }>>;

const type =
  (typeName: string): Check =>
  (value, path) =>
    typeof value === typeName ? [] : [`${path} is ${show(value)}, not a ${typeName}`];
const text = type('string');
const count: Check = (value, path) => (Number.isInteger(value) && (value as number) >= 0 ? [] : [`${path} is ${show(value)}, not a count`]);
const nullable =
  (check: Check): Check =>
  (value, path) =>
    value === null ? [] : check(value, path);
const oneOf =
  (...allowed: readonly (string | null)[]): Check =>
  (value, path) =>
    allowed.includes(value as string) ? [] : [`${path} is ${show(value)}`];
const list =
  (check: Check): Check =>
  (value, path) =>
    Array.isArray(value) ? value.flatMap((entry, n) => check(entry, `${path}[${n}]`)) : [`${path} is ${show(value)}, not a list`];
const required = (check: Check) => ({ check }) as const;
const optional = (check: Check) => ({ check, optional: true }) as const;

/** Validates the members in `shape`; `open` lists additional allowed ones, or allows any. */
function object(shape: Shape, open: readonly string[] | 'any' = []): Check {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} is ${show(value)}, not an object`];
    const members = value as Record<string, unknown>;
    const unknown = open === 'any' ? [] : Object.keys(members).filter((key) => !Object.hasOwn(shape, key) && !open.includes(key));
    return [
      ...unknown.map((key) => `${path}.${key} is unknown`),
      ...Object.entries(shape).flatMap(([key, { check, optional: isOptional }]) => {
        if (members[key] === undefined) return isOptional ? [] : [`${path}.${key} is missing`];
        return check(members[key], `${path}.${key}`);
      }),
    ];
  };
}

const details = (...names: readonly string[]): Check => object(Object.fromEntries(names.map((name) => [name, optional(count)])));

const usage = object(
  {
    prompt_tokens: required(count),
    completion_tokens: required(count),
    total_tokens: required(count),
    prompt_tokens_details: optional(details('cached_tokens', 'audio_tokens', 'image_tokens')),
    completion_tokens_details: optional(details('reasoning_tokens', 'audio_tokens', 'image_tokens')),
  },
  ['cache_read_input_tokens', 'cache_creation_input_tokens', 'cache_creation'],
);

const toolCall = (isLoose: boolean): Check =>
  object({
    index: required(count),
    id: optional(text),
    type: optional(oneOf('function', 'custom')),
    function: optional(object({ name: optional(text), arguments: optional(text) }, isLoose ? ['thought_signature'] : [])),
    custom: optional(object({ name: optional(text), input: optional(text) })),
    ...(isLoose ? { extra_content: optional(object({}, 'any')), caller: optional(object({}, 'any')) } : {}),
  });

const annotation = object({
  type: required(oneOf('url_citation')),
  url_citation: required(object({ url: required(text), title: required(text), start_index: required(count), end_index: required(count) })),
});

const delta = (isLoose: boolean): Check =>
  object({
    role: optional(oneOf('assistant')),
    content: optional(nullable(text)),
    refusal: optional(nullable(text)),
    tool_calls: optional(list(toolCall(isLoose))),
    annotations: optional(list(annotation)),
    audio: optional(object({ id: optional(text), data: optional(text), expires_at: optional(count), transcript: optional(text) })),
    ...(isLoose ? { content_blocks: optional(list(object({ index: required(count), delta: required(object({}, 'any')) }))) } : {}),
  });

const choice = (isLoose: boolean): Check =>
  object(
    {
      index: required(count),
      delta: required(delta(isLoose)),
      finish_reason: required(oneOf('stop', 'length', 'tool_calls', 'content_filter', 'function_call', null)),
      logprobs: optional(nullable(object({}, 'any'))),
    },
    isLoose ? 'any' : [],
  );

const chunk = (isLoose: boolean): Check =>
  object(
    {
      id: required(text),
      object: required(oneOf('chat.completion.chunk')),
      created: required(count),
      model: required(text),
      choices: required(list(choice(isLoose))),
      service_tier: optional(nullable(text)),
      system_fingerprint: optional(nullable(text)),
      usage: optional(usage),
    },
    isLoose ? 'any' : ['provider'],
  );

const show = (value: unknown): string => (JSON.stringify(value) ?? 'undefined').slice(0, 80);

/** Returns the problems of a chunk. @param strict rejects members that OpenAI's type does not have, except `provider` */
export function chunkProblems(value: unknown, strict: boolean): string[] {
  return chunk(!strict)(value, 'chunk');
}

/** A stream as received by a client. */
export interface ReadStream {
  readonly chunks: readonly ChatCompletionChunk[];
  readonly error: Readonly<Record<string, unknown>> | undefined;
  readonly isDone: boolean;
  /** Chunks of the wrong shape, a changing id, data after the end. */
  readonly problems: readonly string[];
}

/** Parses the complete text of a chat stream. */
export function readChatStream(stream: string, strict: boolean): ReadStream {
  const chunks: ChatCompletionChunk[] = [];
  const problems: string[] = [];
  let error: Record<string, unknown> | undefined;
  let isDone = false;
  const blocks = stream.split('\n\n');
  if (blocks.pop() !== '') problems.push('the stream ends within an event');
  for (const block of blocks) {
    if (isDone || error !== undefined) problems.push(`behind the end: ${block}`);
    if (!block.startsWith('data: ') || block.includes('\n')) problems.push(`not one data line: ${block}`);
    const data = block.slice(6);
    if (data === '[DONE]') {
      isDone = true;
      continue;
    }
    const value = JSON.parse(data) as ChatCompletionChunk & { error?: Record<string, unknown> };
    if (value.error !== undefined) {
      error = value.error;
      continue;
    }
    problems.push(...chunkProblems(value, strict));
    const first = chunks[0];
    if (first !== undefined && (first.id !== value.id || first.created !== value.created || first.model !== value.model))
      problems.push('the shell changed');
    chunks.push(value);
  }
  return { chunks, error, isDone, problems };
}
