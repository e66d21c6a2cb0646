import { faultError, GatewayError } from '../../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { ModelEvent } from '../../../core/events.ts';
import type { Call } from '../../../core/provider.ts';
import { outputTool } from '../../anthropic-messages/response/output-tool.ts';
import { type CollectCall, collectChat } from '../../openai-chat/collect.ts';
import { parseExact } from '../../../core/json/scan.ts';
import { ConverseReader } from './reader.ts';
import { objectsIn } from '../../shared/json.ts';

type Event = readonly [name: string, data: JsonObject];

/**
 * Converts a whole Converse response to a chat completion, and stores the reasoning before its calls.
 *
 * @throws GatewayError `upstream_invalid`
 */
export const fromConverse = (text: string, call: WholeCall, parsed: unknown = parseExact(text)): JsonObject =>
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
  const output = isJsonObject(parsed) ? parsed['output'] : undefined;
  const message = isJsonObject(output) ? output['message'] : undefined;
  const content = isJsonObject(message) ? message['content'] : undefined;
  if (!isJsonObject(parsed) || !Array.isArray(content)) {
    throw new GatewayError('upstream_invalid', {
      message: "The provider's response is not a message: it has no content.",
      source: 'provider',
    });
  }
  const { stopReason, additionalModelResponseFields, usage, trace, performanceConfig, serviceTier } = parsed;
  return [
    ['messageStart', { role: 'assistant' }],
    ...withoutOtherText(content.filter(isJsonObject)).flatMap(blockEvents),
    ['messageStop', { stopReason, additionalModelResponseFields }],
    ['metadata', { usage, trace, performanceConfig, serviceTier }],
  ];
}

/** If the output tool was called, other texts are not part of the response. */
const withoutOtherText = (content: readonly JsonObject[]): readonly JsonObject[] =>
  content.some(({ toolUse }) => isJsonObject(toolUse) && toolUse['name'] === outputTool)
    ? content.filter(({ text, citationsContent }) => text === undefined && citationsContent === undefined)
    : content;

function blockEvents(block: JsonObject, contentBlockIndex: number): readonly Event[] {
  const { start, deltas } = fragments(block);
  return [
    ...(start === undefined ? [] : [['contentBlockStart', { contentBlockIndex, start }] as const]),
    ...deltas.map((delta) => ['contentBlockDelta', { contentBlockIndex, delta }] as const),
    ['contentBlockStop', { contentBlockIndex }],
  ];
}

function fragments(block: JsonObject): { readonly start?: JsonObject; readonly deltas: readonly JsonObject[] } {
  const { text, toolUse, toolResult, reasoningContent, citationsContent, image } = block;
  if (typeof text === 'string') return { deltas: [{ text }] };
  if (isJsonObject(toolUse)) {
    const { input } = toolUse;
    return { start: { toolUse }, deltas: input === undefined ? [] : [{ toolUse: { input: JSON.stringify(input) } }] };
  }
  if (isJsonObject(toolResult)) return { start: { toolResult }, deltas: [{ toolResult: toolResult['content'] }] };
  if (isJsonObject(reasoningContent)) {
    const { reasoningText: thought } = reasoningContent;
    if (!isJsonObject(thought)) return { deltas: [{ reasoningContent }] };
    return { deltas: [{ reasoningContent: { text: thought['text'], signature: thought['signature'] } }] };
  }
  if (isJsonObject(citationsContent)) {
    const { content, citations } = citationsContent;
    return {
      deltas: [...objectsIn(content).map((one) => ({ text: one['text'] })), ...objectsIn(citations).map((citation) => ({ citation }))],
    };
  }
  return isJsonObject(image) ? { start: { image }, deltas: [{ image }] } : { start: block, deltas: [] };
}
