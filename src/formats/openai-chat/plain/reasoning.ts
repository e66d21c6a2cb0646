/** OpenAI's reasoning models, which reject most sampling fields. */
const reasoningModels = /(?:^|[/.])(?:o[1-9]|gpt-(?:[5-9]|[1-9]\d)|gpt-oss|codex)/i;

export const isReasoningModel = (model: string): boolean => reasoningModels.test(model);

const version = /(?:^|[/.])gpt-(\d{1,2})(?:\.(\d{1,2}))?/i;

function isSince(model: string, minor: number): boolean {
  const [, first = '0', second = '0'] = version.exec(model) ?? [];
  return Number(first) > 5 || (first === '5' && Number(second) >= minor);
}

/** Models that cannot do without reasoning (OpenAI, GPT-6 model pages). */
const always = /gpt-6-astra|gpt-6\.1-sol/i;

/**
 * True for models with `reasoning_effort: none`: those since 5.1 (OpenAI, chat completions, `reasoning_effort`), except Codex
 * (https://github.com/openai/codex/issues/6647) and Pro (OpenAI, model pages).
 */
export const canStopReasoning = (model: string): boolean => isSince(model, 1) && !always.test(model) && !/-(?:codex|pro)\b/i.test(model);

/**
 * True for models that call functions in chat completions only with `reasoning_effort: none`, which from 5.6 on is not their
 * default (OpenAI, "Using GPT-6", and the error of the service for older ones).
 */
export const callsWithoutReasoning = (model: string): boolean => isSince(model, 4) && !always.test(model);

/** Returns the highest supported effort in place of a higher one. Chat completions have no `max`, and `xhigh` since 5.2. */
export function servedEffort(model: string, effort: string): string {
  if (effort !== 'max' && effort !== 'xhigh') return effort;
  return isSince(model, 2) || model.includes('codex-max') ? 'xhigh' : 'high';
}
