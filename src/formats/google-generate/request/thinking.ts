import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { type GenerateConversion, oneOf } from './conversion.ts';
import { isThirdGeneration, type GeminiTraits } from '../model.ts';

/** Budget in tokens for each effort, for models that support only budgets. */
const budgets: Readonly<Record<string, number>> = { low: 1024, medium: 2048, high: 4096, xhigh: 8192, max: 24_576 };

/** Minimum budget for thinking, by model size. */
const least = { pro: 128, flash: 1, lite: 512 } as const;

/**
 * Builds `thinkingConfig` from `thinking` or, if it is absent, from `reasoning_effort`. Undefined if the client sent neither,
 * because models that do not think reject the field.
 */
export function toThinkingConfig(body: JsonObject, conversion: GenerateConversion): JsonObject | undefined {
  const native = oneOf(body, ['thinking_config', 'thinkingConfig']);
  if (isJsonObject(native)) return native;
  const thinking = body['thinking'];
  const effort = effortOf(body, conversion);
  if (thinking !== undefined && thinking !== null && !isJsonObject(thinking)) conversion.drops.add('thinking', 'not an object');
  if (!isJsonObject(thinking)) return effort === undefined ? undefined : shown(fromEffort(effort, conversion), conversion);
  // Nothing to disable.
  if (!conversion.traits.thinks && disablesThinking(thinking)) return undefined;
  const config = fromThinking(thinking, conversion);
  const made = effort === undefined ? config : withEffort(config, effort, conversion);
  return thinking['display'] === 'omitted' ? { ...made, includeThoughts: false } : made;
}

const efforts: ReadonlySet<string> = new Set(['none', 'disable', 'minimal', ...Object.keys(budgets)]);

const disablesThinking = (thinking: JsonObject): boolean =>
  thinking['type'] === 'disabled' || oneOf(thinking, ['budget_tokens', 'budgetTokens']) === 0;

function effortOf({ reasoning_effort: effort, reasoning }: JsonObject, { drops, traits }: GenerateConversion): string | undefined {
  if (isJsonObject(reasoning)) drops.addUnread(reasoning, effortOnly, 'reasoning.');
  const written = effort ?? (isJsonObject(reasoning) ? reasoning['effort'] : undefined);
  const effortName = typeof written === 'string' ? written.toLowerCase() : undefined;
  if (effortName !== undefined && efforts.has(effortName)) {
    if (traits.thinks) return effortName;
    if (effortName !== 'none' && effortName !== 'disable') drops.add('reasoning_effort', 'this model does not think');
    return undefined;
  }
  if (written !== undefined && written !== null) drops.add('reasoning_effort', 'not an effort of this service');
  return undefined;
}

const effortOnly: ReadonlySet<string> = new Set(['effort']);

/** Adds the effort if `thinking` only enables thinking. With a budget, or with thinking disabled, the effort is redundant. */
function withEffort(config: JsonObject, effort: string, conversion: GenerateConversion): JsonObject {
  const isOpen = config['includeThoughts'] === true && config['thinkingBudget'] === undefined;
  const size = isOpen && effort !== 'none' && effort !== 'disable' ? fromEffort(effort, conversion) : undefined;
  if (size === undefined) conversion.drops.add('reasoning_effort', 'thinking is sent instead');
  return { ...config, ...size };
}

/** Requests readable thoughts if the client reads them, which an effort alone does not do. Not needed if thinking is disabled. */
const shown = (config: JsonObject | undefined, { showsThoughts }: GenerateConversion): JsonObject | undefined =>
  config === undefined || !showsThoughts || config['thinkingBudget'] === 0 ? config : { ...config, includeThoughts: true };

function fromThinking(thinking: JsonObject, { options, traits }: GenerateConversion): JsonObject {
  const budget = oneOf(thinking, ['budget_tokens', 'budgetTokens']);
  if (budget === 0) {
    // The API-key endpoint rejects a budget of 0 for models that always think.
    const isRefused = isThirdGeneration(traits) && traits.size === 'pro' && options.surface === 'developer';
    return { includeThoughts: false, ...(isRefused ? { thinkingLevel: 'LOW' } : { thinkingBudget: 0 }) };
  }
  if (thinking['type'] === 'disabled') return { includeThoughts: false };
  return { includeThoughts: true, ...(typeof budget === 'number' ? { thinkingBudget: budget } : {}) };
}

function fromEffort(effort: string, { traits, drops }: GenerateConversion): JsonObject | undefined {
  if (isThirdGeneration(traits)) {
    const level = levelOf(effort, traits);
    if (level !== undefined && level !== effort.toUpperCase()) drops.add('reasoning_effort', `sent as ${level}`);
    return level === undefined ? undefined : { thinkingLevel: level };
  }
  if (effort === 'none' || effort === 'disable') {
    if (traits.size !== 'pro') return { thinkingBudget: 0 };
    drops.add('reasoning_effort', `this model always thinks: sent as a budget of ${least.pro} tokens`);
    return { thinkingBudget: least.pro };
  }
  if (effort === 'minimal') return { thinkingBudget: least[traits.size ?? 'flash'] };
  return Object.hasOwn(budgets, effort) ? { thinkingBudget: budgets[effort] } : undefined;
}

/**
 * Returns the level of the same name, or the nearest one that the model supports: pro models have no MINIMAL, the first of them
 * no MEDIUM.
 */
function levelOf(effort: string, { size, major, minor }: GeminiTraits): string | undefined {
  const isPro = size === 'pro';
  switch (effort) {
    case 'none':
    case 'disable':
    case 'minimal':
      return isPro ? 'LOW' : 'MINIMAL';
    case 'low':
      return 'LOW';
    case 'medium':
      return isPro && major === 3 && minor === 0 ? 'HIGH' : 'MEDIUM';
    case 'high':
    case 'xhigh':
    case 'max':
      return 'HIGH';
    default:
      return undefined;
  }
}
