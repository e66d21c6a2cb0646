/** Properties of a Gemini model that are derived from its name. */
export interface GeminiTraits {
  /** Generation: 3 for `gemini-3-flash`; 0 if the name has none (tuned endpoints, other families). */
  readonly major: number;
  readonly minor: number;
  readonly size: 'pro' | 'flash' | 'lite' | undefined;
  /** False for models that reject every thinking setting: those before 2.5, and those of 2.5 for images and speech. */
  readonly thinks: boolean;
}

/** Names without a number (`gemini-flash-latest`) mean the newest generation. */
const newest = 3;

export function geminiTraitsOf(model: string): GeminiTraits {
  const number = /gemini-(\d+)(?:\.(\d+))?/i.exec(model);
  const isNewest = number === null && /gemini-.*latest/i.test(model);
  const major = number === null ? (isNewest ? newest : 0) : Number(number[1]);
  const minor = Number(number?.[2] ?? 0);
  return {
    major,
    minor,
    size: sizeOf(model),
    thinks: hasUnflaggedReasoning(model) || (major !== 1 && (major !== 2 || (minor >= 5 && !/-(?:image|tts)\b/i.test(model)))),
  };
}

/** True for models that write reasoning in one text part and the response in the next, without a flag on the first. */
export const hasUnflaggedReasoning = (model: string): boolean => /-thinking/i.test(model);

function sizeOf(model: string): GeminiTraits['size'] {
  if (/flash-?lite|-lite\b/i.test(model)) return 'lite';
  if (/flash/i.test(model)) return 'flash';
  return /(?:^|-)pro(?:-|$)/i.test(model) ? 'pro' : undefined;
}

/** True for models from the third generation on, which require signatures and support thinking levels. */
export const isThirdGeneration = (traits: GeminiTraits): boolean => traits.major >= 3;
