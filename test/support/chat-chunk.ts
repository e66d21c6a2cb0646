import type { ChatCompletionChunk } from 'openai/resources/chat/completions';

/** Parses and validates streams of chat completion chunks as a strict client library would. */

type Check = (value: unknown, path: string) => string[];
type Shape = Readonly<Record<string, { readonly check: Check; readonly optional?: true }>>;

const type =
  (word: string): Check =>
  (value, path) =>
    typeof value === word ? [] : [`${path} is ${show(value)}, not a ${word}`];
const text = type('string');
const whole: Check = (value, path) => (Number.isInteger(value) && (value as number) >= 0 ? [] : [`${path} is ${show(value)}, not a count`]);
const orNull =
  (check: Check): Check =>
  (value, path) =>
    value === null ? [] : check(value, path);
const oneOf =
  (...words: readonly (string | null)[]): Check =>
  (value, path) =>
    words.includes(value as string) ? [] : [`${path} is ${show(value)}`];
const list =
  (check: Check): Check =>
  (value, path) =>
    Array.isArray(value) ? value.flatMap((each, n) => check(each, `${path}[${n}]`)) : [`${path} is ${show(value)}, not a list`];
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
      ...Object.entries(shape).flatMap(([key, { check, optional: may }]) => {
        if (members[key] === undefined) return may ? [] : [`${path}.${key} is missing`];
        return check(members[key], `${path}.${key}`);
      }),
    ];
  };
}

const details = (...names: readonly string[]): Check => object(Object.fromEntries(names.map((name) => [name, optional(whole)])));

const usage = object(
  {
    prompt_tokens: required(whole),
    completion_tokens: required(whole),
    total_tokens: required(whole),
    prompt_tokens_details: optional(details('cached_tokens', 'audio_tokens')),
    completion_tokens_details: optional(details('reasoning_tokens', 'audio_tokens')),
  },
  ['cache_read_input_tokens', 'cache_creation_input_tokens'],
);

const toolCall = (loose: boolean): Check =>
  object({
    index: required(whole),
    id: optional(text),
    type: optional(oneOf('function', 'custom')),
    function: optional(object({ name: optional(text), arguments: optional(text) }, loose ? ['thought_signature'] : [])),
    custom: optional(object({ name: optional(text), input: optional(text) })),
    ...(loose ? { extra_content: optional(object({}, 'any')), caller: optional(object({}, 'any')) } : {}),
  });

const annotation = object({
  type: required(oneOf('url_citation')),
  url_citation: required(object({ url: required(text), title: required(text), start_index: required(whole), end_index: required(whole) })),
});

const delta = (loose: boolean): Check =>
  object({
    role: optional(oneOf('assistant')),
    content: optional(orNull(text)),
    refusal: optional(orNull(text)),
    tool_calls: optional(list(toolCall(loose))),
    annotations: optional(list(annotation)),
    audio: optional(object({ id: optional(text), data: optional(text), expires_at: optional(whole), transcript: optional(text) })),
    ...(loose ? { content_blocks: optional(list(object({ index: required(whole), delta: required(object({}, 'any')) }))) } : {}),
  });

const choice = (loose: boolean): Check =>
  object(
    {
      index: required(whole),
      delta: required(delta(loose)),
      finish_reason: required(oneOf('stop', 'length', 'tool_calls', 'content_filter', 'function_call', null)),
      logprobs: optional(orNull(object({}, 'any'))),
    },
    loose ? 'any' : [],
  );

const chunk = (loose: boolean): Check =>
  object(
    {
      id: required(text),
      object: required(oneOf('chat.completion.chunk')),
      created: required(whole),
      model: required(text),
      choices: required(list(choice(loose))),
      service_tier: optional(orNull(text)),
      system_fingerprint: optional(orNull(text)),
      usage: optional(usage),
    },
    loose ? 'any' : ['provider'],
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
