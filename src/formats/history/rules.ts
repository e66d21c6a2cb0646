import { reasoningNames } from '../shared/request/reasoning.ts';

/** Names of message members, by role. */
export type RoleMembers = Readonly<Record<string, readonly string[]>>;

/** What a service of the OpenAI format accepts in an assistant message. */
export interface HistoryRules {
  /** Members that it rejects: the gateway's own, and those of responses of other services. */
  readonly refused: ReadonlySet<string>;
  /** Members that it rejects in messages of other roles. */
  readonly refusedOf?: RoleMembers;
  /** The member in which it accepts reasoning of earlier turns. If absent, reasoning is dropped. */
  readonly thoughts?: string;
  /** It requires that member in every message with calls, empty if there was no reasoning. */
  readonly needsThoughts?: boolean;
  /** It accepts reasoning as in its own responses: as parts of the content, each a list of texts. */
  readonly thoughtParts?: boolean;
  /** It reads signed and encrypted reasoning in `reasoning_details`. */
  readonly details?: boolean;
  /** It accepts an empty list as content. */
  readonly emptyLists?: boolean;
  /** It accepts only text in results of tools: their files are sent in a message of the user. */
  readonly textResults?: boolean;
  /** It rejects a call id that occurs in two turns. No service accepts it twice in one turn. */
  readonly uniqueIds?: boolean;
  /** It rejects members that are null, except content. */
  readonly rejectsNulls?: boolean;
  /** True for call ids that it accepts. */
  isId(id: string): boolean;
  /** Returns an id that it accepts, always the same for the same id. */
  idFor(id: string): string;
}

/** Members of responses that only the service that sent them knows. */
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
  'caller',
] as const;

/** Members that no service of the format accepts in a call: those of the gateway and of other services. */
export const foreignMembers: ReadonlySet<string> = new Set(foreign);

const longestId = 40;

/** Call ids have at most 40 characters. */
const openaiIds: Pick<HistoryRules, 'isId' | 'idFor'> = {
  isId: (id) => id !== '' && id.length <= longestId,
  idFor: (id) => `${id.slice(0, longestId - 9)}_${digest(id, 8)}`,
};

/**
 * OpenAI's own service and Azure OpenAI. Results with images are rejected, or not read by newer models
 * (https://github.com/openai/openai-openapi/issues/523).
 */
export const openaiHistory: HistoryRules = { refused: foreignMembers, textResults: true, ...openaiIds };

/** Members that OpenAI adds to its responses. */
const openaiResponseMembers = ['annotations', 'parsed', 'audio', 'refusal'] as const;

/** Models of other vendors behind this format: they also reject what OpenAI adds to its responses, and they accept reasoning. */
export const openHistory: HistoryRules = {
  ...openaiIds,
  refused: new Set([...foreign.filter((name) => !reasoningNames.some((one) => one === name)), ...openaiResponseMembers]),
};

/** Models of Mistral: call ids are nine letters and digits, and `name` is rejected. */
export const mistralHistory: HistoryRules = {
  refused: new Set([...foreign, ...openaiResponseMembers, 'name', 'function_call']),
  emptyLists: true,
  isId: (id) => /^[a-zA-Z0-9]{9}$/.test(id),
  idFor: (id) => digest(id, 9),
};

/** How a service of the format differs in the messages that it accepts. */
export interface HistoryQuirk {
  /** Members of responses, its own or those of other services, that it accepts in later requests. */
  readonly takes?: readonly string[];
  /** Members of earlier responses that it rejects. For members of the request see `ChatQuirk.drops`. */
  readonly refuses?: readonly string[];
  /** Members that it rejects in messages of other roles. */
  readonly refusesOf?: RoleMembers;
  /** As in `HistoryRules`. */
  readonly thoughts?: string;
  readonly needsThoughts?: true;
  readonly thoughtParts?: true;
  readonly details?: true;
  /** Form of call ids: nine letters and digits. If absent, OpenAI's form. */
  readonly callIds?: 'nine';
  /** As in `HistoryRules`. */
  readonly uniqueIds?: true;
  readonly rejectsNulls?: true;
}

/** Combines everything known about a service into one set of rules. Members that are not listed as accepted are dropped. */
export function historyOf(quirks: readonly HistoryQuirk[]): HistoryRules {
  const taken = new Set(quirks.flatMap(({ takes = [], thoughts }) => (thoughts === undefined ? takes : [...takes, thoughts])));
  const refusedOf = quirks.find((one) => one.refusesOf !== undefined)?.refusesOf;
  const refused = [...foreign, ...openaiResponseMembers].filter((name) => !taken.has(name));
  const thoughts = quirks.find((one) => one.thoughts !== undefined)?.thoughts;
  return {
    ...(quirks.some(({ callIds }) => callIds === 'nine') ? mistralHistory : openaiIds),
    refused: new Set([...refused, ...quirks.flatMap(({ refuses = [] }) => refuses)]),
    ...(refusedOf === undefined ? {} : { refusedOf }),
    ...(thoughts === undefined ? {} : { thoughts }),
    needsThoughts: quirks.some(({ needsThoughts }) => needsThoughts === true),
    thoughtParts: quirks.some(({ thoughtParts }) => thoughtParts === true),
    rejectsNulls: quirks.some(({ rejectsNulls }) => rejectsNulls === true),
    uniqueIds: quirks.some(({ uniqueIds }) => uniqueIds === true),
    details: quirks.some(({ details }) => details === true),
  };
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Hashes a text to letters and digits (FNV-1a over its UTF-16 units, extended by a second start value). */
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

/** Members that the service rejects in messages of a role, which a client may name as it likes. None knows results that failed. */
export function refusedMembersOf(role: string, { refusedOf = {} }: HistoryRules): readonly string[] | undefined {
  const refused = Object.hasOwn(refusedOf, role) ? refusedOf[role] : undefined;
  return role === 'tool' ? [...(refused ?? []), 'is_error'] : refused;
}
