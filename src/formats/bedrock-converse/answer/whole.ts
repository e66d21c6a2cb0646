import { faultError, GatewayError } from '../../../core/error.ts';
import { isPlain, type Plain } from '../../../core/json/merge.ts';
import type { ModelEvent } from '../../../core/events.ts';
import type { Call } from '../../../core/provider.ts';
import { type CollectCall, collectChat } from '../../openai-chat/collect.ts';
import { parseExact } from '../../../core/json/scan.ts';
import { ConverseReader } from './reader.ts';

type Event = readonly [name: string, data: Plain];

/**
 * Converts a whole Converse response to a chat completion, and stores the reasoning before its calls.
 *
 * @throws GatewayError `upstream_invalid`
 */
export const fromConverse = (text: string, call: WholeCall, parsed: unknown = parseExact(text)): Plain =>
  collectChat(wholeEvents(parsed, call), call, true);

type WholeCall = CollectCall & Partial<Pick<Call, 'notes'>>;

function* wholeEvents(parsed: unknown, call: WholeCall): Iterable<ModelEvent> {
  const reader = new ConverseReader(call);
  for (const [name, data] of wholeAsEvents(parsed)) {
    for (const event of reader.event(name, data)) {
      if (event.type === 'note') call.notes?.keep(event.note);
      else yield event;
    }
  }
  if (reader.fault !== undefined) yield { type: 'error', error: faultError(reader.fault) };
}

/** Converts a whole response to the events of its stream. @throws GatewayError `upstream_invalid` */
function wholeAsEvents(parsed: unknown): readonly Event[] {
  const output = isPlain(parsed) ? parsed['output'] : undefined;
  const message = isPlain(output) ? output['message'] : undefined;
  const content = isPlain(message) ? message['content'] : undefined;
  if (!isPlain(parsed) || !Array.isArray(content)) {
    throw new GatewayError('upstream_invalid', {
      message: "The provider's response is not a message: it has no content.",
      source: 'provider',
    });
  }
  const { stopReason, additionalModelResponseFields, usage, trace, performanceConfig, serviceTier } = parsed;
  return [
    ['messageStart', { role: 'assistant' }],
    ...content.filter(isPlain).flatMap(blockEvents),
    ['messageStop', { stopReason, additionalModelResponseFields }],
    ['metadata', { usage, trace, performanceConfig, serviceTier }],
  ];
}

function blockEvents(block: Plain, contentBlockIndex: number): readonly Event[] {
  const { start, deltas } = fragments(block);
  return [
    ...(start === undefined ? [] : [['contentBlockStart', { contentBlockIndex, start }] as const]),
    ...deltas.map((delta) => ['contentBlockDelta', { contentBlockIndex, delta }] as const),
    ['contentBlockStop', { contentBlockIndex }],
  ];
}

function fragments(block: Plain): { readonly start?: Plain; readonly deltas: readonly Plain[] } {
  const { text, toolUse, toolResult, reasoningContent, citationsContent, image } = block;
  if (typeof text === 'string') return { deltas: [{ text }] };
  if (isPlain(toolUse)) {
    const { input } = toolUse;
    return { start: { toolUse }, deltas: input === undefined ? [] : [{ toolUse: { input: JSON.stringify(input) } }] };
  }
  if (isPlain(toolResult)) return { start: { toolResult }, deltas: [{ toolResult: toolResult['content'] }] };
  if (isPlain(reasoningContent)) {
    const { reasoningText: thought } = reasoningContent;
    if (!isPlain(thought)) return { deltas: [{ reasoningContent }] };
    return { deltas: [{ reasoningContent: { text: thought['text'], signature: thought['signature'] } }] };
  }
  if (isPlain(citationsContent)) {
    const { content, citations } = citationsContent;
    return { deltas: [...listOf(content).map((one) => ({ text: one['text'] })), ...listOf(citations).map((citation) => ({ citation }))] };
  }
  return isPlain(image) ? { start: { image }, deltas: [{ image }] } : { start: block, deltas: [] };
}

const listOf = (value: unknown): readonly Plain[] => (Array.isArray(value) ? value.filter(isPlain) : []);
