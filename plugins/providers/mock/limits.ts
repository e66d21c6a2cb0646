import { Refusal } from './rules.ts';

/** Maximum number of chunks with text in a stream. */
const maxChunks = 10_000;
const maxChoices = 2048;
/** Maximum number of characters of all choices. A single choice may be longer: it is about as long as the request. */
const maxCharacters = 16 * 1024 * 1024;
/** Maximum number of numbers in all vectors of a response. */
const maxNumbers = 64 * 4096;

const shown = (count: number): string => count.toLocaleString('en-US');

/** Returns the maximum number of chunks of one choice. */
export const maxChunksOf = (choices: number): number => Math.floor(maxChunks / choices);

/** @param chunks of one choice @throws Refusal if a stream has too many */
export function checkChunks(chunks: number, choices: number): void {
  if (chunks <= maxChunksOf(choices)) return;
  const reason = `${choices} choices with ${shown(chunks)} chunks each are more than ${shown(maxChunks)} chunks, the mock's limit`;
  throw new Refusal('integer_above_max_value', 'n', `Invalid 'n': ${reason}. Request fewer choices.`);
}

/**
 * Limits what a small request can make the mock build in memory.
 *
 * @param texts one for each prompt
 * @param n choices for each prompt
 * @throws Refusal if the choices of a response are too many or too long
 */
export function checkChoices(texts: readonly string[], n: number): void {
  const choices = texts.length * n;
  if (choices === 1) return;
  const characters = n * texts.reduce((sum, text) => sum + text.length, 0);
  if (choices <= maxChoices && characters <= maxCharacters) return;
  const reason =
    choices > maxChoices
      ? `the mock returns at most ${shown(maxChoices)} choices, not ${shown(choices)}`
      : `the mock returns at most ${shown(maxCharacters)} characters in several choices, not ${shown(characters)}`;
  if (n > 1) throw new Refusal('integer_above_max_value', 'n', `Invalid 'n': ${reason}. Request fewer choices.`);
  throw new Refusal('array_above_max_length', 'prompt', `Invalid 'prompt': ${reason}. Send fewer prompts.`);
}

/** @throws Refusal if the vectors of a response have too many numbers */
export function checkVectorCount(vectors: number, dimensions: number): void {
  if (vectors * dimensions <= maxNumbers) return;
  const reason = `${shown(vectors)} vectors of ${shown(dimensions)} dimensions are more than ${shown(maxNumbers)} numbers, the mock's limit`;
  throw new Refusal('array_above_max_length', 'input', `Invalid 'input': ${reason}. Send fewer inputs, or set smaller 'dimensions'.`);
}
