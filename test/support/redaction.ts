import { compileFinder } from '../../src/config/validate/regex.ts';
import { namedPatterns } from '../../src/core/redaction/find/hits.ts';
import { BodyRedactor } from '../../src/core/redaction/index.ts';
import type { OperatorPattern, RedactionRules } from '../../src/core/redaction/rules.ts';

export const rules: RedactionRules = {
  fields: ['user', 'messages[*].name', 'größe'],
  patterns: new Set(namedPatterns),
  own: [],
  media: 'digest',
};
export const oneByte = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
export const ownPattern = (pattern: string): OperatorPattern => {
  const finder = compileFinder(pattern);
  if ('error' in finder) throw new Error(finder.error);
  return finder;
};

/** Returns a request body in its stored form. */
export function masked(
  body: unknown,
  overrides: Partial<RedactionRules> = {},
  limit = 1 << 20,
): { text: string; counts: object; preview: string | null; isCut: boolean } {
  const redaction = new BodyRedactor({ ...rules, ...overrides }, ['a-known-secret/of-the-file']).begin(limit);
  const { body: masked, preview } = redaction.request(oneByte(typeof body === 'string' ? body : JSON.stringify(body)));
  if (masked === 'too-large') throw new Error(masked);
  return { text: masked.bytes.toString('utf8'), counts: redaction.counts, preview, isCut: masked.isCut };
}
