import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Drops } from '../shared/request/drops.ts';
import { textOf } from '../shared/json.ts';
import { missingName } from '../shared/request/tools.ts';
import { reasoningNames } from '../shared/request/reasoning.ts';
import { foreignMembers, type HistoryRules, refusedMembersOf } from './rules.ts';
import { type AssistantPart, partsInOrder } from './assistant-parts.ts';
import { splitResults } from './result-blocks.ts';
import { withFilesAfterResults } from './result-files.ts';
import { claudeDetails } from './reasoning-details.ts';

/** Converts the messages of a chat to what a service of the OpenAI format accepts. Messages that need no change stay the same object. */
export function cleanHistory(messages: readonly unknown[], rules: HistoryRules, drops: Drops): readonly unknown[] {
  const ids = new Ids(rules);
  const separate = messages.flatMap((message): readonly unknown[] => (isJsonObject(message) ? withoutResults(message, drops) : [message]));
  const cleaned = separate.map((message) => {
    if (!isJsonObject(message)) return message;
    if (message['role'] === 'assistant') return assistant(message, rules, ids, drops);
    // Converts legacy function results for services that support only `role: tool`.
    if (message['role'] === 'function' && rules.refused.has('function_call'))
      return { role: 'tool', tool_call_id: ids.result(undefined), content: message['content'] };
    const role = textOf(message['role']) ?? '';
    const refused = refusedMembersOf(role, rules);
    const other = refused === undefined ? message : withoutRefused(message, new Set(refused), 'messages[].', drops);
    return message['role'] === 'tool' ? result(other, ids, rules, drops) : other;
  });
  return rules.textResults === true ? withFilesAfterResults(cleaned) : cleaned;
}

const toolMembers: ReadonlySet<string> = new Set(['role', 'tool_call_id', 'content', 'cache_control']);

/** Makes tool messages of results in Anthropic's form, as its calls become `tool_calls`. */
function withoutResults(message: JsonObject, drops: Drops): readonly JsonObject[] {
  const split = splitResults(message);
  if (split === undefined) return [message];
  const results = split.results.map(({ message: one }) => {
    drops.addUnread(one, toolMembers, 'messages[].content[].tool_result.');
    return Object.fromEntries(Object.entries(one).filter(([key]) => toolMembers.has(key)));
  });
  const content = split.rest.filter((part) => part !== '');
  return content.length === 0 ? results : [...results, { ...message, content }];
}

/** Ids of tool calls. A missing id is generated, and assigned to the results in their order, as are ids that occur more than once. */
class Ids {
  readonly #rules: HistoryRules;
  #made = 0;
  #open: string[] = [];
  /** The ids of the calls that have no result yet, by the id in the history. */
  readonly #issued = new Map<string, string[]>();
  readonly #used = new Set<string>();
  /** The next number to try for an id that occurs more than once. */
  readonly #next = new Map<string, number>();
  #hasResult = false;

  constructor(rules: HistoryRules) {
    this.#rules = rules;
  }

  call(id: string | undefined): string {
    if (id === undefined) {
      const made = this.#sent(`call_gw_${this.#made}`);
      this.#made += 1;
      this.#open.push(made);
      return made;
    }
    const sent = this.#distinct(id);
    const others = this.#issued.get(id);
    if (others === undefined) this.#issued.set(id, [sent]);
    else others.push(sent);
    return sent;
  }

  result(id: string | undefined): string | undefined {
    this.#hasResult = true;
    if (id === undefined) return this.#open.shift();
    const issued = this.#issued.get(id) ?? [this.#sent(id)];
    return issued.length > 1 ? issued.shift() : issued[0];
  }

  /** Begins a message of the assistant. Some clients write the calls of one turn in several of them. */
  step(): void {
    this.#open = [];
    if (!this.#hasResult) return;
    this.#hasResult = false;
    this.#issued.clear();
    if (this.#rules.uniqueIds === true) return;
    this.#used.clear();
    this.#next.clear();
  }

  #distinct(id: string): string {
    let sent = this.#sent(id);
    let n = this.#next.get(id) ?? 2;
    for (; this.#used.has(sent); n += 1) sent = this.#sent(`${id}_${n}`);
    this.#next.set(id, n);
    this.#used.add(sent);
    return sent;
  }

  #sent(id: string): string {
    return this.#rules.isId(id) ? id : this.#rules.idFor(id);
  }
}

function result(message: JsonObject, ids: Ids, { refused }: HistoryRules, drops: Drops): JsonObject {
  const id = ids.result(textOf(message['tool_call_id']));
  const out = withoutRefused(message, refused, 'messages[].', drops);
  return id === undefined || id === message['tool_call_id'] ? out : { ...out, tool_call_id: id };
}

/** Members that are built again instead of copied. */
const rebuiltMembers: ReadonlySet<string> = new Set(['content', 'content_blocks', 'tool_calls', 'audio']);

function assistant(message: JsonObject, rules: HistoryRules, ids: Ids, drops: Drops): JsonObject {
  ids.step();
  const pieces = partsInOrder(message);
  const calls = pieces.flatMap((one) => (one.kind === 'call' ? [callOf(one.call, ids, drops)] : []));
  const isOld = isJsonObject(message['function_call']) && !Array.isArray(message['tool_calls']) && !rules.refused.has('function_call');
  if (message['content_blocks'] !== undefined) drops.add('messages[].content_blocks');
  const thoughts = thoughtsOf(message, pieces, rules, calls.length > 0);
  const moved = (key: string): boolean => rules.thoughts !== undefined && isReasoning(key) && rules.refused.has(key);
  // `function_call` is then one of the calls.
  const isListed = (key: string): boolean => key === 'function_call' && !isOld && calls.length > 0;
  const isNull = (value: unknown): boolean => value === null && rules.rejectsNulls === true;
  const rest = Object.entries(message).filter(
    ([key, value]) => !rebuiltMembers.has(key) && !moved(key) && !isListed(key) && !isNull(value),
  );
  const audio = audioOf(message['audio'], rules, drops);
  return {
    ...withoutRefused(Object.fromEntries(rest), rules.refused, 'messages[].', drops),
    ...thoughts,
    ...detailsOf(message, pieces, rules),
    ...contentOf(message, pieces, {
      hasOther: calls.length > 0 || audio !== undefined || textOf(message['refusal']) !== undefined,
      drops,
      rules,
    }),
    ...(calls.length === 0 || isOld ? {} : { tool_calls: calls }),
    ...(audio === undefined ? {} : { audio }),
  };
}

/**
 * Returns the reasoning in the member that the service reads; nothing if the service reads none, or if the message already has
 * such a member.
 */
function thoughtsOf(message: JsonObject, pieces: readonly AssistantPart[], rules: HistoryRules, hasCalls: boolean): JsonObject {
  const { thoughts: member } = rules;
  if (member === undefined || reasoningNames.some((name) => !rules.refused.has(name) && typeof message[name] === 'string')) return {};
  const parts = pieces.map((one) => (one.kind === 'thinking' ? one.text : '')).join('');
  const text = reasoningNames.map((name) => textOf(message[name])).find((one) => one !== undefined) ?? parts;
  return text !== '' || (hasCalls && rules.needsThoughts === true) ? { [member]: text } : {};
}

/** True if reasoning of Claude is sent as details: the service reads them, and the client sends no list of its own. */
const makesDetails = (message: JsonObject, { details }: HistoryRules): boolean =>
  details === true && !Array.isArray(message['reasoning_details']);

function detailsOf(message: JsonObject, pieces: readonly AssistantPart[], rules: HistoryRules): JsonObject {
  const details = makesDetails(message, rules) ? claudeDetails(pieces) : [];
  return details.length === 0 ? {} : { reasoning_details: details };
}

const isReasoning = (key: string): boolean => reasoningNames.some((name) => name === key);

interface ContentContext {
  /** The message has calls, audio or a refusal besides its content. */
  readonly hasOther: boolean;
  readonly drops: Drops;
  readonly rules: HistoryRules;
}

/** Keeps texts and refusals, and reports other parts of a list and of `content_blocks` as dropped. */
function contentOf(message: JsonObject, pieces: readonly AssistantPart[], { hasOther, drops, rules }: ContentContext): JsonObject {
  const { content } = message;
  const parts: JsonObject[] = [];
  for (const one of pieces) {
    if (one.kind === 'text') {
      // If the service accepts a `refusal` member, the refusal stays there.
      if (one.text === message['refusal'] && !rules.refused.has('refusal')) continue;
      drops.addUnread(one.from, rules.refused.has('cache_control') ? textMembers : markedMembers, 'messages[].content[].');
      if (one.text !== '')
        parts.push(
          one.from['type'] === 'refusal' && !rules.refused.has('refusal')
            ? { type: 'refusal', refusal: one.text }
            : { type: 'text', text: one.text, ...markOf(one.from, rules) },
        );
    } else if (one.kind === 'thinking' && rules.thoughtParts === true && isOwn(one.from, content)) parts.push(one.from);
    else if (one.kind === 'thinking' && rules.thoughts === undefined) drops.add('messages[].content[].thinking');
    else if (one.kind === 'redacted' && !makesDetails(message, rules)) drops.add('messages[].content[].redacted_thinking');
    else if (one.kind === 'other') drops.add(`messages[].content[].${one.type}`);
  }
  if (typeof content === 'string') return { content };
  if (parts.length > 0) return { content: Array.isArray(content) ? parts : parts.map((part) => part['text'] ?? part['refusal']).join('') };
  return { content: hasOther ? null : '' };
}

/** True for reasoning that is a list of texts inside a list of parts, which is the only place where it is accepted. */
const isOwn = ({ thinking }: JsonObject, content: unknown): boolean => Array.isArray(thinking) && Array.isArray(content);

const textMembers: ReadonlySet<string> = new Set(['type', 'text', 'refusal', 'index']);
const markedMembers: ReadonlySet<string> = new Set([...textMembers, 'cache_control']);

/** The cache mark of a text, if the service reads it. */
const markOf = ({ cache_control: mark }: JsonObject, { refused }: HistoryRules): JsonObject =>
  mark === undefined || refused.has('cache_control') ? {} : { cache_control: mark };

function callOf(call: JsonObject, ids: Ids, drops: Drops): JsonObject {
  const place = 'messages[].tool_calls[].';
  const out = withoutRefused(call, foreignMembers, place, drops);
  const fn = out['function'];
  return {
    ...out,
    id: ids.call(textOf(call['id'])),
    type: isJsonObject(call['custom']) ? 'custom' : 'function',
    ...(isJsonObject(fn) ? { function: named(withoutRefused(fn, foreignMembers, place, drops)) } : {}),
  };
}

const named = (fn: JsonObject): JsonObject => (fn['name'] === '' ? { ...fn, name: missingName } : fn);

/** Refers to audio by its id. Ids generated by the gateway are unknown to every service. */
function audioOf(audio: unknown, { refused }: HistoryRules, drops: Drops): JsonObject | undefined {
  if (!isJsonObject(audio)) return undefined;
  const id = textOf(audio['id']);
  if (id !== undefined && !refused.has('audio') && !madeAudio.test(id)) return { id };
  drops.add('messages[].audio', 'ids of another service are unknown here');
  return undefined;
}

const madeAudio = /^audio_req_/;

function withoutRefused(object: JsonObject, refused: ReadonlySet<string>, place: string, drops: Drops): JsonObject {
  const names = Object.keys(object).filter((key) => refused.has(key));
  if (names.length === 0) return object;
  drops.addUnread(Object.fromEntries(names.map((name) => [name, object[name]])), noNames, place);
  return Object.fromEntries(Object.entries(object).filter(([key]) => !refused.has(key)));
}

const noNames: ReadonlySet<string> = new Set();
