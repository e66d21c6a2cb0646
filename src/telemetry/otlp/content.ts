import { objectIn } from '../../core/json/scan.ts';
import { isPlain } from '../../core/json/merge.ts';
import type { Exported } from './exported.ts';

/** A message as the GenAI conventions write it in `gen_ai.input.messages` and `gen_ai.output.messages`. */
interface ShownMessage {
  readonly role: string;
  readonly parts: readonly { readonly type: string; readonly content?: string; readonly name?: string; readonly arguments?: unknown }[];
  readonly finish_reason?: string;
}

/** Characters of an attribute: collectors reject what is much larger. */
const longest = 64 * 1024;

/** The messages of a request and of its response as JSON; undefined where none are kept or their format has none. */
export function messagesOf({ request, response }: Exported): { readonly input: string | undefined; readonly output: string | undefined } {
  return { input: shown(inputIn(request)), output: shown(outputIn(response)) };
}

function shown(messages: readonly ShownMessage[]): string | undefined {
  if (messages.length === 0) return undefined;
  // The latest are worth most.
  const texts: string[] = [];
  let length = 1;
  for (const message of messages.toReversed()) {
    const text = JSON.stringify(message);
    length += text.length + 1;
    if (length > longest) break;
    texts.push(text);
  }
  return texts.length === 0 ? undefined : `[${texts.reverse().join(',')}]`;
}

function inputIn(text: string | undefined): readonly ShownMessage[] {
  const body = text === undefined ? undefined : objectIn(text);
  if (body === undefined) return [];
  const system = textIn(body['system'] ?? body['instructions']);
  const before: ShownMessage[] = system === '' ? [] : [{ role: 'system', parts: [{ type: 'text', content: system }] }];
  const { messages, input, prompt } = body;
  if (Array.isArray(messages)) return [...before, ...messages.flatMap(messageIn)];
  if (Array.isArray(input)) return [...before, ...input.flatMap(messageIn)];
  const plain = textIn(input ?? prompt);
  return plain === '' ? before : [...before, { role: 'user', parts: [{ type: 'text', content: plain }] }];
}

function messageIn(message: unknown): ShownMessage[] {
  if (!isPlain(message)) return [];
  const role = typeof message['role'] === 'string' ? message['role'] : 'user';
  const content = textIn(message['content']);
  const parts = [...(content === '' ? [] : [{ type: 'text', content }]), ...callsIn(message)];
  return parts.length === 0 ? [] : [{ role, parts }];
}

function callsIn({ tool_calls: calls }: Readonly<Record<string, unknown>>): ShownMessage['parts'] {
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call: unknown) => {
    const called = isPlain(call) && isPlain(call['function']) ? call['function'] : undefined;
    return called === undefined ? [] : [{ type: 'tool_call', name: String(called['name']), arguments: called['arguments'] }];
  });
}

/** The text of a content that is a text or a list of parts. */
function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part: unknown) =>
      typeof part === 'string' ? [part] : isPlain(part) && typeof part['text'] === 'string' ? [part['text']] : [],
    )
    .join('');
}

/** A whole response, or the events of a stream. */
function outputIn(text: string | undefined): readonly ShownMessage[] {
  if (text === undefined) return [];
  const whole = objectIn(text);
  if (whole !== undefined) return wholeOutput(whole);
  const streamed = [...text.matchAll(/^data: ?(\{.*)$/gm)].map(([, json = '']) => streamedText(objectIn(json))).join('');
  return streamed === '' ? [] : [{ role: 'assistant', parts: [{ type: 'text', content: streamed }] }];
}

function wholeOutput({ choices, content, output }: Readonly<Record<string, unknown>>): readonly ShownMessage[] {
  if (Array.isArray(choices)) return choices.flatMap(choiceIn);
  if (Array.isArray(output)) return output.flatMap(messageIn);
  const text = textIn(content);
  return text === '' ? [] : [{ role: 'assistant', parts: [{ type: 'text', content: text }] }];
}

function choiceIn(choice: unknown): ShownMessage[] {
  if (!isPlain(choice)) return [];
  const finish = typeof choice['finish_reason'] === 'string' ? { finish_reason: choice['finish_reason'] } : {};
  const text = typeof choice['text'] === 'string' ? choice['text'] : '';
  const own = text === '' ? messageIn(choice['message']) : [{ role: 'assistant', parts: [{ type: 'text', content: text }] }];
  return own.map((message) => ({ ...message, ...finish }));
}

function streamedText(event: Readonly<Record<string, unknown>> | undefined): string {
  if (event === undefined) return '';
  const { choices, delta } = event;
  // Arguments of tools and reasoning come as such texts, too.
  if (typeof delta === 'string') return event['type'] === 'response.output_text.delta' ? delta : '';
  if (isPlain(delta)) return typeof delta['text'] === 'string' ? delta['text'] : '';
  if (!Array.isArray(choices)) return '';
  return choices.map((choice: unknown) => (isPlain(choice) && isPlain(choice['delta']) ? textIn(choice['delta']['content']) : '')).join('');
}
