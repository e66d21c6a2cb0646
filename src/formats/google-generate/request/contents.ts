import { assistantParts } from './assistant.ts';
import { type MadeCall, addPlaceholderSignature } from './tools/calls.ts';
import { splitResults } from '../../history/result-blocks.ts';
import { objectsIn } from '../../shared/json.ts';
import { missingParameter, unsupportedParameter } from '../../shared/request/parameter-errors.ts';
import type { Content, GenerateConversion, Part } from './conversion.ts';
import { toParts, toTexts } from './parts.ts';
import { resultParts, type ToolMessage } from './tools/results.ts';

/** A conversation in the service's form. */
export interface GenerateConversation {
  readonly systemInstruction: Content | undefined;
  readonly contents: readonly Content[];
}

/** Text for places where the service requires some and the client sent none. */
const blank = ' ';

/**
 * Converts messages to contents: collects all system texts in order, joins consecutive messages of one role, puts the results of
 * a step into one content, and begins with a user content.
 *
 * @throws GatewayError if a message cannot be converted
 */
export function toConversation(messages: unknown, conversion: GenerateConversion): GenerateConversation {
  const list = messagesOf(messages);
  const system: Part[] = [];
  const turns = new ContentsBuilder();
  const sink: ConversationSink = { turns, system, conversion, matched: new Set() };
  try {
    for (let index = 0; index < list.length; ) {
      if (isAssistant(list[index])) index = addStep(list, index, sink);
      else {
        addOther(list[index], sink);
        index += 1;
      }
    }
  } catch (thrown) {
    throw conversion.position.locate(thrown);
  }
  return { systemInstruction: system.length === 0 ? undefined : { parts: system }, contents: turns.finished() };
}

interface Message extends ToolMessage {
  readonly role: string;
}

interface ConversationSink {
  readonly turns: ContentsBuilder;
  readonly system: Part[];
  readonly conversion: GenerateConversion;
  /** Tool messages that are part of the step with their call. */
  readonly matched: Set<ToolMessage>;
}

function messagesOf(messages: unknown): readonly Message[] {
  if (!Array.isArray(messages)) throw missingParameter('messages');
  return objectsIn(messages).flatMap((message, index): readonly Message[] => {
    const { role } = message;
    if (typeof role !== 'string') throw unsupportedParameter(`messages[${index}]`, 'The message has no role.');
    const split = splitResults(message);
    if (split === undefined) return [{ role, message, index }];
    const results = split.results.map((one) => ({ role: 'tool', index, ...one }));
    return [...results, { role, message: { ...message, content: split.rest }, index }];
  });
}

/**
 * Adds one step of the model: consecutive assistant messages, and the tool results up to the next one, which may be between other
 * messages. Returns the index after the assistant messages.
 */
function addStep(list: readonly Message[], from: number, sink: ConversationSink): number {
  const parts: Part[] = [];
  const calls: MadeCall[] = [];
  let end = from;
  for (; isAssistant(list[end]); end += 1) {
    const { message, index } = list[end] as Message;
    sink.conversion.position.toMessage(index);
    const made = assistantParts(message, sink.conversion);
    parts.push(...made.parts);
    calls.push(...made.calls);
  }
  addPlaceholderSignature(parts, sink.conversion);
  sink.turns.add('model', parts);
  const results: ToolMessage[] = [];
  for (let next = end; next < list.length && !isAssistant(list[next]); next += 1) {
    const one = list[next];
    if (one !== undefined && isResult(one)) results.push(one);
  }
  if (calls.length > 0 && end < list.length) sink.turns.add('user', resultParts(calls, results, sink.conversion, sink.matched));
  return end;
}

const isAssistant = (one: Message | undefined): boolean => one?.role === 'assistant' || one?.role === 'model';
const isResult = (one: Message): boolean => one.role === 'tool' || one.role === 'function';

const read: ReadonlySet<string> = new Set(['role', 'content', 'tool_call_id', 'is_error']);

/**
 * Adds a message that is not from the assistant. Tool results were added with their step. A result whose call was cut off from the
 * history is sent as text, so that the model can still read it.
 */
function addOther(one: Message | undefined, { turns, system, conversion, matched }: ConversationSink): void {
  if (one === undefined) return;
  const { role, message, index, part } = one;
  conversion.position.toMessage(index, part);
  if (role !== 'function') conversion.drops.addUnread(message, read, 'messages[].');
  if (isResult(one)) {
    if (matched.has(one)) return;
    conversion.drops.add('messages[].tool_call_id', 'no earlier call has this id, so the result is sent as text');
    turns.add('user', toParts(message['content'], conversion));
  } else if (role === 'system' || role === 'developer') system.push(...toTexts(message['content'], conversion).map((text) => ({ text })));
  else if (role === 'user') turns.add('user', toParts(message['content'], conversion));
  else throw unsupportedParameter('messages[].role', `The role "${role}" is not known.`, 'Use system, developer, user, assistant or tool.');
}

/** Contents under construction. Consecutive ones of the same role are joined. */
class ContentsBuilder {
  readonly #contents: Content[] = [];

  add(role: 'user' | 'model', parts: readonly Part[]): void {
    if (parts.length === 0) return;
    const last = this.#contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else this.#contents.push({ role, parts: [...parts] });
  }

  finished(): readonly Content[] {
    if (this.#contents[0]?.role !== 'user') this.#contents.unshift({ role: 'user', parts: [{ text: blank }] });
    for (const content of this.#contents) if (content.role === 'user' && isFilesOnly(content.parts)) content.parts.push({ text: blank });
    return this.#contents;
  }
}

/** True for files without text, which some models reject from a user. */
const isFilesOnly = (parts: readonly Part[]): boolean =>
  parts.every((part) => part['inlineData'] !== undefined || part['fileData'] !== undefined);
