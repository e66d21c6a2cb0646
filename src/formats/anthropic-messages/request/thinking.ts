import { isPlain, type Plain } from '../../../core/json/merge.ts';
import type { Block, Conversion } from './conversion.ts';
import type { ModelTraits } from './model.ts';
import type { Turn } from './turns.ts';

/** How much the model thinks, and how long it may answer: the one bounds the other. */
export interface ThinkingFields {
  readonly max_tokens: unknown;
  readonly thinking?: Plain;
  /** For `output_config.effort`. */
  readonly effort?: string;
}

/** What a decision about thinking depends on beside the body. */
export interface ThinkingFacts {
  readonly turns: readonly Turn[];
  /** A tool must be used: the API thinks only where the model may choose. */
  readonly forcesTool: boolean;
  /** The tool is the gateway's own: the answer is written into it. */
  readonly forcesOutput: boolean;
  /** Sent where the caller sets no limit, since the API wants one. */
  readonly maxTokens: number;
  /** The client reads the thoughts: models that would leave them out are asked for a summary. */
  readonly showsThoughts: boolean;
}

/** Tokens of thinking for models that are told a budget. */
const budgets: Readonly<Record<string, number>> = { minimal: 1024, low: 1024, medium: 2048, high: 4096, xhigh: 8192, max: 8192 };

/** The API's least budget. */
const leastBudget = 1024;

/** `thinking`, else `reasoning_effort`; `max_completion_tokens`, else `max_tokens`. */
export function thinkingFields(body: Plain, facts: ThinkingFacts, conversion: Conversion): ThinkingFields {
  const asked = body['max_completion_tokens'] ?? body['max_tokens'] ?? undefined;
  const given = body['thinking'];
  const effort = body['reasoning_effort'];
  const besides = isPlain(given) && typeof effort === 'string' ? effortBeside(given, effort, conversion) : {};
  const shorter = body['max_tokens'] ?? asked;
  if (shorter !== asked) conversion.drops.add('max_tokens', 'max_completion_tokens is sent instead');
  const chosen = isPlain(given)
    ? { ...givenThinking(given, facts, conversion), ...besides }
    : typeof effort === 'string'
      ? byEffort(effort, asked, facts, conversion)
      : {};
  const budget = chosen.thinking?.['budget_tokens'];
  return { ...chosen, max_tokens: asked ?? facts.maxTokens + (typeof budget === 'number' ? budget : 0) };
}

/** A model that thinks by itself takes an effort, too; a budget says the same in other words. */
function effortBeside(given: Plain, effort: string, { traits, drops }: Conversion): Pick<ThinkingFields, 'effort'> {
  if (traits.thinking === 'adaptive' && given['budget_tokens'] === undefined && effort !== 'none')
    return { effort: effort === 'minimal' ? 'low' : effort };
  drops.add('reasoning_effort', 'thinking is sent instead');
  return {};
}

/** True when the answer will be thought about: then the API takes no sampling and no forced tool. */
const thinks = (thinking: Plain | undefined): boolean => thinking !== undefined && thinking['type'] !== 'disabled';

type Chosen = Omit<ThinkingFields, 'max_tokens'>;

/** As the caller wrote it, but for what this model is known to refuse. A budget of 0 switches it off. */
function givenThinking(given: Plain, facts: ThinkingFacts, { traits, drops }: Conversion): Chosen {
  const isOff = given['type'] === 'disabled' || given['budget_tokens'] === 0;
  if (isOff) {
    if (!traits.refusesThinking.includes('disabled')) return { thinking: { type: 'disabled' } };
    drops.add('thinking', 'this model always thinks');
    return {};
  }
  if (facts.forcesOutput) {
    drops.add('thinking', 'thinking is not possible with the tool that enforces the schema of the response');
    return {};
  }
  if (given['type'] !== 'enabled') return { thinking: given };
  if (traits.refusesThinking.includes('enabled')) {
    const { budget_tokens: budget, ...rest } = given;
    if (budget !== undefined) drops.add('thinking.budget_tokens', 'this model has no thinking budget');
    return { thinking: { ...rest, type: 'adaptive' } };
  }
  if (!lacksThoughts(facts.turns)) return { thinking: given };
  drops.add('thinking', lostThoughts);
  return {};
}

function byEffort(effort: string, asked: unknown, facts: ThinkingFacts, { traits, drops }: Conversion): Chosen {
  if (effort === 'none') return withoutThinking(traits, drops);
  if (traits.thinking === 'adaptive') {
    const word = effort === 'minimal' ? 'low' : effort;
    return facts.forcesTool ? { effort: word } : { thinking: adaptive(facts), effort: word };
  }
  const why =
    traits.thinking === 'none' ? 'this model does not think' : facts.forcesTool ? 'thinking is not possible with a forced tool' : undefined;
  const lost = why ?? (lacksThoughts(facts.turns) ? lostThoughts : undefined);
  const budget = budgetWithin(budgets[effort] ?? leastBudget, asked);
  if (lost === undefined && budget !== undefined) return { thinking: { type: 'enabled', budget_tokens: budget } };
  drops.add('reasoning_effort', lost ?? 'max_tokens is too small for thinking');
  return {};
}

/** By default the newest models give thinking blocks without text (Anthropic, Messages API, adaptive thinking). */
const adaptive = ({ showsThoughts }: ThinkingFacts): Plain =>
  showsThoughts ? { type: 'adaptive', display: 'summarized' } : { type: 'adaptive' };

/** Older models think only when told to. */
function withoutThinking(traits: ModelTraits, drops: Conversion['drops']): Chosen {
  if (traits.thinking !== 'adaptive') return {};
  if (!traits.refusesThinking.includes('disabled')) return { thinking: { type: 'disabled' } };
  drops.add('reasoning_effort', 'this model always thinks');
  return {};
}

/** The budget is part of `max_tokens`; half of them are left for the answer. */
function budgetWithin(budget: number, asked: unknown): number | undefined {
  const room = typeof asked === 'number' ? Math.floor(asked / 2) : budget;
  const fitting = Math.min(budget, room);
  return fitting >= leastBudget ? fitting : undefined;
}

const lostThoughts = 'the thinking before the last tool calls was not sent back, and without it the service does not continue to think';

/**
 * In a loop of tool calls the API goes on thinking only if the assistant's turn comes back with its thoughts in front.
 * Clients that don't know of them can't send them.
 */
function lacksThoughts(turns: readonly Turn[]): boolean {
  const last = turns.at(-1);
  const before = turns.at(-2);
  if (!holds(last, 'tool_result') || before === undefined || typeof before.content === 'string') return false;
  return before.content[0]?.['type'] !== 'thinking' && before.content[0]?.['type'] !== 'redacted_thinking';
}

const holds = (turn: Turn | undefined, type: string): boolean =>
  turn !== undefined && typeof turn.content !== 'string' && turn.content.some((block) => block['type'] === type);

/** `temperature`, `top_p`, `top_k`: within the API's limits, and left out where the model or thinking rules them out. */
export function samplingFields(body: Plain, thinking: Plain | undefined, { traits, drops }: Conversion): Block {
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
