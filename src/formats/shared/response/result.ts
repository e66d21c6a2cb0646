import { tryParseExact } from '../../../core/json/scan.ts';
import type { Translation } from '../../../core/provider.ts';

/** The object in a complete 2xx response of a translation: converted, or as it is forwarded; undefined if it is not JSON. */
export const resultOf = (translation: Translation, text: string, answer: unknown): unknown =>
  translation.result === undefined ? tryParseExact(translation.repair?.(text) ?? text) : translation.result(text, answer);
