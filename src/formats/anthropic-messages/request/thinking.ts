import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Block, MessagesConversion } from './conversion.ts';
import type { ClaudeTraits } from './model.ts';
import { objectsIn } from '../../shared/json.ts';
import { hiddenIfStrict } from '../../shared/request/drops.ts';
import type { Turn } from './turns.ts';

/** Settings for thinking and for the length of the response, which limit each other. */
export interface ThinkingFields {
  readonly max_tokens: unknown;
  readonly thinking?: JsonObject;
  /** For `output_config.effort`. */
  readonly effort?: string;
}

/** What the thinking settings depend on besides the body. */
export interface ThinkingFacts {
  readonly turns: readonly Turn[];
  /** A tool is forced. The API does not think in this case. */
  readonly forcesTool: boolean;
  /** The forced tool is the gateway's output tool, into which the response is written. */
  readonly forcesOutput: boolean;
  /** Used if the client sets no limit, since the API requires one. */
  readonly maxTokens: number;
  /** The client reads the reasoning, so models that omit it by default are asked for a summary. */
  readonly showsThoughts: boolean;
  /** The client does not get thinking blocks. */
  readonly isStrict: boolean;
}

/** Thinking budget in tokens for each effort, for models that need a budget. */
const budgets: ReadonlyMap<string, number> = new Map([
  ['minimal', 1024],
  ['low', 1024],
  ['medium', 2048],
  ['high', 4096],
  ['xhigh', 8192],
  ['max', 8192],
]);

/** The API's minimum budget. */
const leastBudget = 1024;

/** Uses `thinking`, else `reasoning_effort`; and `max_completion_tokens`, else `max_tokens`. */
export function thinkingFields(body: JsonObject, facts: ThinkingFacts, conversion: MessagesConversion): ThinkingFields {
  const limit = body['max_completion_tokens'] ?? body['max_tokens'] ?? undefined;
  const requested = body['thinking'];
  const effort = body['reasoning_effort'];
  const besides = isJsonObject(requested) && typeof effort === 'string' ? effortBeside(requested, effort, conversion) : {};
  const shorter = body['max_tokens'] ?? limit;
  if (shorter !== limit) conversion.drops.add('max_tokens', 'max_completion_tokens is sent instead');
  const chosen = isJsonObject(requested)
    ? { ...requestedThinking(requested, facts, conversion), ...besides }
    : typeof effort === 'string'
      ? byEffort(effort, limit, facts, conversion)
      : {};
  if (isJsonObject(requested) && hidesThinking(chosen.thinking, facts)) conversion.drops.add('content_blocks.thinking', hiddenIfStrict);
  const budget = chosen.thinking?.['budget_tokens'];
  return { ...chosen, max_tokens: limit ?? facts.maxTokens + (typeof budget === 'number' ? budget : 0) };
}

/** An adaptive model also accepts an effort next to `thinking`. A budget makes the effort redundant. */
function effortBeside(given: JsonObject, effort: string, { traits, drops }: MessagesConversion): Pick<ThinkingFields, 'effort'> {
  if (traits.thinking === 'adaptive' && given['budget_tokens'] === undefined && effort !== 'none') return { effort: leastAsLow(effort) };
  drops.add('reasoning_effort', 'thinking is sent instead');
  return {};
}

/** The API has no effort `minimal`. */
const leastAsLow = (effort: string): string => (effort === 'minimal' ? 'low' : effort);

/** True if the model will think. The API then restricts sampling parameters and accepts no forced tool. */
const thinks = (thinking: JsonObject | undefined): boolean => thinking !== undefined && thinking['type'] !== 'disabled';

const hidesThinking = (thinking: JsonObject | undefined, { isStrict, showsThoughts }: ThinkingFacts): boolean =>
  isStrict && !showsThoughts && thinks(thinking) && thinking?.['display'] !== 'omitted';

type Chosen = Omit<ThinkingFields, 'max_tokens'>;

/** Keeps `thinking` as the client wrote it, except what the model is known to reject. A budget of 0 disables it. */
function requestedThinking(given: JsonObject, facts: ThinkingFacts, { traits, drops }: MessagesConversion): Chosen {
  const isOff = given['type'] === 'disabled' || given['budget_tokens'] === 0;
  if (isOff) {
    if (!traits.rejectedThinkingTypes.includes('disabled')) return { thinking: { type: 'disabled' } };
    drops.add('thinking', 'this model always thinks');
    return {};
  }
  if (facts.forcesOutput) {
    drops.add('thinking', 'thinking is not possible with the tool that enforces the schema of the response');
    return {};
  }
  if (given['type'] !== 'enabled') return { thinking: given };
  if (traits.rejectedThinkingTypes.includes('enabled')) {
    const { budget_tokens: budget, ...rest } = given;
    if (budget !== undefined) drops.add('thinking.budget_tokens', 'this model has no thinking budget');
    return { thinking: { ...rest, type: 'adaptive' } };
  }
  if (!lacksThinking(facts.turns)) return { thinking: given };
  drops.add('thinking', missingThinkingReason);
  return {};
}

function byEffort(effort: string, limit: unknown, facts: ThinkingFacts, { traits, drops }: MessagesConversion): Chosen {
  if (effort === 'none') return withoutThinking(traits, drops);
  if (traits.thinking === 'adaptive') {
    const accepted = leastAsLow(effort);
    return facts.forcesTool || endsWithText(facts.turns) ? { effort: accepted } : { thinking: adaptive(facts), effort: accepted };
  }
  const lost = whyNoThinking(facts, traits);
  const wanted = budgets.get(effort);
  const budget = wanted === undefined ? undefined : budgetWithin(wanted, limit);
  if (lost === undefined && budget !== undefined) return { thinking: { type: 'enabled', budget_tokens: budget } };
  drops.add(
    'reasoning_effort',
    lost ?? (wanted === undefined ? 'not an effort that this model knows' : 'max_tokens is too small for thinking'),
  );
  return {};
}

/** The reason why a request with a thinking budget cannot have one; undefined if it can. */
function whyNoThinking({ forcesTool, turns }: ThinkingFacts, traits: MessagesConversion['traits']): string | undefined {
  if (traits.thinking === 'none') return 'this model does not think';
  if (forcesTool) return 'thinking is not possible with a forced tool';
  if (endsWithText(turns)) return 'thinking is not possible with the beginning of the response';
  return lacksThinking(turns) ? missingThinkingReason : undefined;
}

/** By default the newest models return thinking blocks without text (Anthropic, Messages API, adaptive thinking). */
const adaptive = ({ showsThoughts }: ThinkingFacts): JsonObject =>
  showsThoughts ? { type: 'adaptive', display: 'summarized' } : { type: 'adaptive' };

/** Older models think only on request. */
function withoutThinking(traits: ClaudeTraits, drops: MessagesConversion['drops']): Chosen {
  if (traits.thinking !== 'adaptive') return {};
  if (!traits.rejectedThinkingTypes.includes('disabled')) return { thinking: { type: 'disabled' } };
  drops.add('reasoning_effort', 'this model always thinks');
  return {};
}

/** The budget is part of `max_tokens`. At least half of it is left for the response. */
function budgetWithin(budget: number, limit: unknown): number | undefined {
  const available = typeof limit === 'number' ? Math.floor(limit / 2) : budget;
  const fitting = Math.min(budget, available);
  return fitting >= leastBudget ? fitting : undefined;
}

export const missingThinkingReason =
  'the thinking before the last tool calls was not sent back, and without it the service does not continue to think';

/** True if the last turn is the beginning of the response. A paused one, which has steps of the API's own tools, may think. */
const endsWithText = (turns: readonly AnyTurn[]): boolean =>
  turns.at(-1)?.role === 'assistant' && blocksIn(turns.at(-1)).every(({ type }) => type === 'text');

interface AnyTurn {
  readonly role?: unknown;
  readonly content?: unknown;
}

/**
 * True if tool results follow the last assistant turn, but this turn does not begin with its thinking. In a loop of tool calls the
 * API continues to think only with it, and clients that do not support thinking cannot send it.
 */
export function lacksThinking(turns: readonly AnyTurn[]): boolean {
  const at = turns.findLastIndex(({ role }) => role === 'assistant');
  const [first] = blocksIn(turns[at]);
  if (first === undefined || !blocksIn(turns[at + 1]).some(({ type }) => type === 'tool_result')) return false;
  return first['type'] !== 'thinking' && first['type'] !== 'redacted_thinking';
}

const blocksIn = (turn: AnyTurn | undefined): readonly JsonObject[] => objectsIn(turn?.content);

/** Converts `temperature`, `top_p` and `top_k`: limits them to the API's range, and drops those that the model or thinking excludes. */
export function samplingFields(body: JsonObject, thinking: JsonObject | undefined, { traits, drops }: MessagesConversion): Block {
  const out: Block = {};
  const isThinking = thinks(thinking);
  for (const name of ['temperature', 'top_p', 'top_k'] as const) {
    const value = name === 'temperature' ? clamped(body[name]) : body[name];
    if (value !== body[name]) drops.add(name, `limited to ${String(value)}`);
    if (value === undefined || value === null) continue;
    const why =
      traits.sampling === 'none'
        ? 'this model does not support sampling parameters'
        : isThinking && !fitsThinking(name, value)
          ? 'not possible while the model thinks'
          : traits.sampling === 'one' && name === 'top_p' && out['temperature'] !== undefined
            ? 'this model accepts either temperature or top_p'
            : undefined;
    if (why === undefined) out[name] = value;
    else drops.add(name, why);
  }
  return out;
}

/** OpenAI's range is 0 to 2, the API's 0 to 1. */
const clamped = (value: unknown): unknown => (typeof value === 'number' ? Math.min(1, Math.max(0, value)) : value);

function fitsThinking(name: 'temperature' | 'top_p' | 'top_k', value: unknown): boolean {
  if (name === 'temperature') return value === 1;
  return name === 'top_p' && typeof value === 'number' && value >= 0.95;
}
