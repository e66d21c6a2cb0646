import { madeCallId } from '../../../core/model/call-id.ts';
import { GatewayError } from '../../../core/error.ts';
import { isPlain, type Plain } from '../../../core/json/merge.ts';
import { openaiUsage } from '../../../core/model/openai-usage.ts';
import type { Call } from '../../../core/provider.ts';
import { textOf } from '../../shared/json.ts';
import { reasoningFields } from '../../shared/reasoning.ts';
import { annotationsOf } from '../citations.ts';
import { parseExact } from '../exact.ts';
import { finishReason } from './finish.ts';
import { withOutputText } from './output-tool.ts';
import { UsageCounts } from '../usage.ts';

/** What the conversion of an answer depends on. */
export type AnswerCall = Pick<Call, 'id' | 'createdAt' | 'model' | 'strict' | 'showsReasoning'>;

/**
 * A whole messages answer as a chat completion: text joined, calls with their arguments as
 * text; with strict compliance off every other block as it came, thinking with its signature.
 *
 * @throws GatewayError `upstream_invalid`
 */
export function fromMessage(text: string, call: AnswerCall, parsed: unknown = parseExact(text)): Plain {
  const answer = messageIn(parsed);
  const blocks = withOutputText(answer.content);
  const calls = blocks.filter((block) => block['type'] === 'tool_use');
  const counts = new UsageCounts();
  counts.add(answer.object['usage']);
  const { usage } = counts;
  const stop = textOf(answer.object['stop_reason']);
  const isOutput = blocks !== answer.content;
  return {
    id: textOf(answer.object['id']) ?? `chatcmpl-${call.id}`,
    object: 'chat.completion',
    created: call.createdAt,
    model: textOf(answer.object['model']) ?? call.model,
    choices: [
      {
        index: 0,
        message: messageOf(blocks, calls, call),
        logprobs: null,
        finish_reason: finishReason(stop, { calls: calls.length, isOutput }),
        ...(call.strict ? {} : choiceExtras(answer.object, stop)),
      },
    ],
    ...(usage === undefined ? {} : { usage: openaiUsage(usage) }),
    ...(call.strict ? {} : answerExtras(answer.object)),
  };
}

function messageIn(object: unknown): { readonly object: Plain; readonly content: readonly Plain[] } {
  if (isPlain(object) && Array.isArray(object['content'])) return { object, content: object['content'].filter(isPlain) };
  throw new GatewayError('upstream_invalid', {
    message: "The provider's response is not a message: it has no content.",
    source: 'provider',
  });
}

function messageOf(blocks: readonly Plain[], calls: readonly Plain[], call: AnswerCall): Plain {
  let content = '';
  const annotations: Plain[] = [];
  for (const block of blocks) {
    if (block['type'] !== 'text' || typeof block['text'] !== 'string') continue;
    annotations.push(...annotationsOf(block['citations'], content.length, block['text'].length));
    content += block['text'];
  }
  return {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    refusal: null,
    ...reasoningFields(call, () => thoughtsIn(blocks)),
    ...(annotations.length === 0 ? {} : { annotations }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((use, at) => toolCall(use, at, call)) }),
    ...(call.strict ? {} : { content_blocks: blocksShown(blocks) }),
  };
}

/** All blocks but the calls, which have a list of their own; calls before other blocks stay, since they mark the order. */
function blocksShown(blocks: readonly Plain[]): readonly Plain[] {
  const last = blocks.findLastIndex((block) => block['type'] !== 'tool_use');
  return blocks.slice(0, last + 1);
}

const thoughtsIn = (blocks: readonly Plain[]): string[] =>
  blocks.map((block) => (block['type'] === 'thinking' ? (textOf(block['thinking']) ?? '') : ''));

function toolCall(use: Plain, at: number, call: AnswerCall): Plain {
  return {
    id: textOf(use['id']) ?? madeCallId(call.id, 0, at),
    type: 'function',
    function: { name: textOf(use['name']) ?? '', arguments: JSON.stringify(isPlain(use['input']) ? use['input'] : {}) },
  };
}

/** What the choice says beyond OpenAI's words, with strict compliance off. */
export function choiceExtras(answer: Plain, stop: string | undefined): Plain {
  return { ...(stop === undefined ? {} : { native_finish_reason: stop }), ...present(answer, ['stop_sequence', 'stop_details']) };
}

/** What the answer says beyond OpenAI's words, with strict compliance off. */
export const answerExtras = (answer: Plain): Plain => present(answer, ['container', 'context_management']);

function present(object: Plain, keys: readonly string[]): Plain {
  const found: Record<string, unknown> = {};
  for (const key of keys) if (object[key] !== null && object[key] !== undefined) found[key] = object[key];
  return found;
}
