import { reasoningNames } from '../shared/request/reasoning.ts';

/** Members of messages, by role. */
export type RoleMembers = Readonly<Record<string, readonly string[]>>;

/** What a service that speaks the OpenAI format takes of an assistant message. */
export interface HistoryRules {
  /** Members of the message that it refuses: of the gateway's own, and of answers of other services. */
  readonly refused: ReadonlySet<string>;
  /** Members that it refuses in other messages, by their role. */
  readonly refusedOf?: RoleMembers;
  /** The member under which it reads thoughts again; without it they are left out. */
  readonly thoughts?: string;
  /** It wants that member in every message with calls, empty where nobody thought. */
  readonly needsThoughts?: boolean;
  /** It reads the thoughts again that its own answers have as parts of the content, each a list of texts. */
  readonly thoughtParts?: boolean;
  /** True for ids of calls that it takes. */
  isId(id: string): boolean;
  /** An id that it takes, always the same for the same id. */
  idFor(id: string): string;
}

/** Members of answers that are known to no service but the one that gave them. */
const foreign = [
  'content_blocks',
  'cache_control',
  'extra_content',
  'thought_signature',
  ...reasoningNames,
  'reasoning_details',
  'thinking_blocks',
  'provider_specific_fields',
  'channel',
  'citations',
] as const;

/** What no service of the format takes in a call: members of the gateway and of other services. */
export const foreignMembers: ReadonlySet<string> = new Set(foreign);

const longestId = 40;

/** OpenAI's own service, and Azure OpenAI: calls have ids of at most 40 characters. */
export const openaiHistory: HistoryRules = {
  refused: foreignMembers,
  isId: (id) => id !== '' && id.length <= longestId,
  idFor: (id) => `${id.slice(0, longestId - 9)}_${digest(id, 8)}`,
};

/** What OpenAI adds to its answers. */
const openais = ['annotations', 'parsed', 'audio', 'refusal'] as const;

/** Models of other vendors behind the format: what OpenAI adds to its answers is refused, too; thoughts are read again. */
export const openHistory: HistoryRules = {
  ...openaiHistory,
  refused: new Set([...foreign.filter((name) => !reasoningNames.some((one) => one === name)), ...openais]),
};

/** Models of Mistral: ids of nine letters and digits, and no names. */
export const mistralHistory: HistoryRules = {
  refused: new Set([...foreign, ...openais, 'name', 'function_call']),
  isId: (id) => /^[a-zA-Z0-9]{9}$/.test(id),
  idFor: (id) => digest(id, 9),
};

/** What a service of the format says about the messages that it takes. */
export interface HistoryQuirk {
  /** Members of answers, of its own or of other services, that it reads again. */
  readonly takes?: readonly string[];
  /** Members of earlier answers that it refuses; those of the request are `ChatQuirk.drops`. */
  readonly refuses?: readonly string[];
  /** Members that it refuses in other messages, by their role. */
  readonly refusesOf?: RoleMembers;
  /** As in `HistoryRules`. */
  readonly thoughts?: string;
  readonly needsThoughts?: true;
  readonly thoughtParts?: true;
  /** The form of ids of calls: nine letters and digits; without it what OpenAI takes. */
  readonly callIds?: 'nine';
}

/** One set of rules from all that is known of a service: what nobody says it takes is left out. */
export function historyOf(quirks: readonly HistoryQuirk[]): HistoryRules {
  const taken = new Set(quirks.flatMap(({ takes = [], thoughts }) => (thoughts === undefined ? takes : [...takes, thoughts])));
  const refusedOf = quirks.find((one) => one.refusesOf !== undefined)?.refusesOf;
  const refused = [...foreign, ...openais].filter((name) => !taken.has(name));
  const thoughts = quirks.find((one) => one.thoughts !== undefined)?.thoughts;
  return {
    ...(quirks.some(({ callIds }) => callIds === 'nine') ? mistralHistory : openaiHistory),
    refused: new Set([...refused, ...quirks.flatMap(({ refuses = [] }) => refuses)]),
    ...(refusedOf === undefined ? {} : { refusedOf }),
    ...(thoughts === undefined ? {} : { thoughts }),
    needsThoughts: quirks.some(({ needsThoughts }) => needsThoughts === true),
    thoughtParts: quirks.some(({ thoughtParts }) => thoughtParts === true),
  };
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Letters and digits that stand for a text (FNV-1a over its UTF-16 units, stretched by a second start value). */
function digest(text: string, length: number): string {
  let a = 0x81_1c_9d_c5;
  let b = 0x9d_c5_81_1c;
  for (let at = 0; at < text.length; at += 1) {
    const c = text.charCodeAt(at);
    a = Math.imul(a ^ c, 0x01_00_01_93);
    b = Math.imul(b ^ c, 0x01_00_01_93) ^ (a >>> 13);
  }
  let out = '';
  for (let n = 0; n < length; n += 1) {
    const from = n % 2 === 0 ? (a = Math.imul(a ^ (a >>> 15), 0x2c_1b_3c_6d)) : (b = Math.imul(b ^ (b >>> 15), 0x29_7a_2d_39));
    out += letters[(from >>> 0) % letters.length];
  }
  return out;
}
