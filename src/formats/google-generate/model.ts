/** What a Gemini model's name says about the rules of its requests. */
export interface ModelTraits {
  /** Generation: 3 for `gemini-3-flash`; 0 where the name tells none (tuned endpoints, other families). */
  readonly major: number;
  readonly minor: number;
  readonly size: 'pro' | 'flash' | 'lite' | undefined;
  /** Thinks in one text part and answers in the next, without a flag on the first. */
  readonly twoPart: boolean;
}

/** Names without a number (`gemini-flash-latest`) stand for the newest generation. */
const newest = 3;

export function traitsOf(model: string): ModelTraits {
  const number = /gemini-(\d+)(?:\.(\d+))?/i.exec(model);
  const isNewest = number === null && /gemini-.*latest/i.test(model);
  return {
    major: number === null ? (isNewest ? newest : 0) : Number(number[1]),
    minor: Number(number?.[2] ?? 0),
    size: sizeOf(model),
    twoPart: isTwoPart(model),
  };
}

export const isTwoPart = (model: string): boolean => /-thinking/i.test(model);

function sizeOf(model: string): ModelTraits['size'] {
  if (/flash-?lite|-lite\b/i.test(model)) return 'lite';
  if (/flash/i.test(model)) return 'flash';
  return /(?:^|-)pro(?:-|$)/i.test(model) ? 'pro' : undefined;
}

/** Models from the third generation on, which ask for signatures and know levels of thinking. */
export const isThird = (traits: ModelTraits): boolean => traits.major >= 3;
