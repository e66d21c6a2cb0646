/** OpenAI's reasoning models, which reject most sampling fields. */
const thinkers = /(?:^|[/.])(?:o[1-9]|gpt-(?:[5-9]|[1-9]\d)|gpt-oss|codex)/i;

export const reasons = (model: string): boolean => thinkers.test(model);

const version = /(?:^|[/.])gpt-(\d{1,2})(?:\.(\d{1,2}))?/i;

/** Models that cannot do without reasoning (OpenAI, GPT-6 model pages). */
const always = /gpt-6-astra|gpt-6\.1-sol/i;

/**
 * True for models that call functions in chat completions only with `reasoning_effort: none`, which from 5.6 on is not their
 * default (OpenAI, "Using GPT-6", and the error of the service for older ones).
 */
export function callsWithoutReasoning(model: string): boolean {
  const [, major = '0', minor = '0'] = version.exec(model) ?? [];
  return (Number(major) > 5 || (major === '5' && Number(minor) >= 4)) && !always.test(model);
}
