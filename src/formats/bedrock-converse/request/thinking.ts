import { type ThinkingFacts, thinkingFields } from '../../anthropic-messages/request/thinking.ts';
import type { MessagesConversion } from '../../anthropic-messages/request/conversion.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Family } from './model.ts';

/** Settings for thinking, in the fields of the model's vendor. */
export interface ConverseThinking {
  /** In the form of the messages API. Excludes sampling parameters. */
  readonly thinking?: JsonObject;
  /** For `outputConfig`. */
  readonly effort?: string;
  /** For `additionalModelRequestFields`. */
  readonly own: JsonObject;
  /** True if the model rejects a token limit and sampling parameters with these settings. */
  readonly rejectsLimits?: boolean;
}

const levels: Readonly<Record<string, string>> = { minimal: 'low', low: 'low', medium: 'medium', high: 'high', xhigh: 'high', max: 'high' };

/** Converts `thinking` or `reasoning_effort`: by Anthropic's rules for its models, otherwise to the one field that the vendor has. */
export function converseThinking(body: JsonObject, facts: ThinkingFacts, family: Family, conversion: MessagesConversion): ConverseThinking {
  if (family.isClaude) {
    const { thinking, effort } = thinkingFields(body, facts, conversion);
    return {
      ...(thinking === undefined ? {} : { thinking }),
      ...(effort === undefined ? {} : { effort }),
      own: thinking === undefined ? {} : { thinking },
    };
  }
  const { thinking, reasoning_effort: effort } = body;
  if (isJsonObject(thinking) && thinking['type'] !== 'disabled')
    conversion.drops.add('thinking', family.effort === undefined ? 'not known to this model' : 'this model uses reasoning_effort instead');
  if (typeof effort !== 'string' || effort === 'none') return { own: {} };
  const level = Object.hasOwn(levels, effort) ? levels[effort] : undefined;
  if (family.effort === undefined || level === undefined) {
    conversion.drops.add('reasoning_effort', 'not known to this model');
    return { own: {} };
  }
  if (level !== effort) conversion.drops.add('reasoning_effort', `sent as ${level}`);
  if (family.effort === 'reasoning_effort') return { own: { reasoning_effort: level } };
  return { own: { reasoningConfig: { type: 'enabled', maxReasoningEffort: level } }, rejectsLimits: level === 'high' };
}
