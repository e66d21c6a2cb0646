import type { Json } from '../contract/gemini-oracle.ts';

/** What an answer says, whatever its format: what must be the same on every way. */
export interface Content {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly { readonly name: unknown; readonly input: unknown }[];
  readonly stop: unknown;
  readonly usage: { readonly prompt: number; readonly cached: number; readonly completion: number; readonly reasoning: number } | undefined;
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const num = (value: unknown): number => (typeof value === 'number' ? value : 0);
const objectOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

const stops: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

/** Of the first choice of a chat completion, in any of the spellings that recorded services have. */
export function contentOfCompletion(completion: Json): Content {
  const choice = list(completion['choices'])[0] ?? {};
  const message = objectOf(choice['message']);
  const blocks = list(message['content_blocks']);
  const parts = list(message['content']);
  const calls = list(message['tool_calls']).map((call) => objectOf(call['function']));
  if (message['function_call']) calls.push(objectOf(message['function_call']));
  const usage = objectOf(completion['usage'] ?? objectOf(completion['x_groq'])['usage']);
  const prompt = objectOf(usage['prompt_tokens_details']);
  const output = objectOf(usage['completion_tokens_details']);
  const hasDetails = Object.keys(prompt).length > 0 || Object.keys(output).length > 0;
  // Gemini's chat route counts thoughts in the total alone.
  const thoughts = hasDetails ? 0 : Math.max(0, num(usage['total_tokens']) - num(usage['prompt_tokens']) - num(usage['completion_tokens']));
  // Anthropic's own word, where the gateway shows it.
  const stop =
    choice['native_finish_reason'] === 'stop_sequence' ? 'stop_sequence' : (stops[String(choice['finish_reason'])] ?? 'end_turn');
  const refusal = typeof message['refusal'] === 'string' ? message['refusal'] : '';
  const content = message['content'];
  const isObject = typeof content === 'object' && content !== null && !Array.isArray(content);
  const text =
    typeof content === 'string'
      ? content
      : isObject
        ? JSON.stringify(content)
        : parts.map((part) => (part['type'] === 'text' ? String(part['text']) : '')).join('');
  return {
    // The API rejects blank texts in later requests, so they are not returned.
    text: (text + refusal).trim() === '' ? '' : text + refusal,
    thinking:
      blocks.map((block) => (block['type'] === 'thinking' ? String(block['thinking'] ?? '') : '')).join('') ||
      String(message['reasoning_content'] ?? message['reasoning'] ?? '') ||
      parts.map((part) => thoughtOf(part['thinking'] ?? (part['type'] === 'reasoning' ? part['summary'] : undefined))).join(''),
    calls: calls.map((functionCall) => ({ name: functionCall['name'], input: inputOf(functionCall['arguments']) })),
    stop: stop === 'end_turn' && refusal !== '' ? 'refusal' : stop === 'end_turn' && calls.length > 0 ? 'tool_use' : stop,
    usage: {
      prompt: num(usage['prompt_tokens']),
      cached: num(prompt['cached_tokens'] ?? usage['prompt_cache_hit_tokens']),
      completion: Math.max(num(usage['completion_tokens']) + thoughts, num(output['reasoning_tokens'])),
      reasoning: num(output['reasoning_tokens']) + thoughts,
    },
  };
}

const thoughtOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : list(value)
        .map(({ text }) => String(text ?? ''))
        .join('');

function inputOf(text: unknown): unknown {
  if (typeof text !== 'string') return text ?? {};
  return text.trim() === '' ? {} : (JSON.parse(text) as unknown);
}

/** A recorded stream of chunks as the whole answer that it tells, without anything of the gateway: first choice only. */
export function completionOf(body: string): Json {
  const message: Json = { role: 'assistant', content: '' };
  const calls: Json[] = [];
  let finish: unknown;
  let usage: unknown;
  for (const line of body.split(/\r\n|\r|\n/)) {
    if (!line.startsWith('data:') || line.includes('[DONE]')) continue;
    const chunk = JSON.parse(line.slice(5)) as Json;
    usage = chunk['usage'] ?? objectOf(chunk['x_groq'])['usage'] ?? usage;
    const choice = list(chunk['choices']).find(({ index }) => (index ?? 0) === 0);
    if (choice === undefined) continue;
    finish = choice['finish_reason'] || finish;
    const delta = objectOf(choice['delta']);
    for (const key of ['content', 'reasoning_content', 'reasoning', 'refusal']) {
      const value = delta[key];
      if (typeof value === 'string') message[key] = String(message[key] ?? '') + value;
      else if (Array.isArray(value))
        for (const part of value as Json[]) {
          if (part['type'] === 'text') message['content'] = String(message['content']) + String(part['text']);
          else message['reasoning'] = String(message['reasoning'] ?? '') + thoughtOf(part['thinking'] ?? part['summary']);
        }
    }
    for (const [at, call] of list(delta['tool_calls']).entries()) {
      const index = num(call['index'] ?? at);
      const functionCall = objectOf(call['function']);
      const existing = (calls[index] ??= { function: { name: '', arguments: '' } });
      const into = existing['function'] as Json;
      into['name'] = into['name'] || (functionCall['name'] ?? '');
      into['arguments'] = String(into['arguments']) + String(functionCall['arguments'] ?? '');
    }
    const old = delta['function_call'];
    if (old) {
      const into = (message['function_call'] ??= { name: '', arguments: '' }) as Json;
      into['name'] = String(into['name']) + String(objectOf(old)['name'] ?? '');
      into['arguments'] = String(into['arguments']) + String(objectOf(old)['arguments'] ?? '');
    }
  }
  if (calls.length > 0) message['tool_calls'] = calls;
  return { choices: [{ index: 0, message, finish_reason: finish }], usage };
}
