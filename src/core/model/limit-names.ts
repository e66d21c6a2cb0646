import type { Endpoint } from '../endpoint.ts';
import type { Plain } from '../json/merge.ts';

/** Names of the output limit. Some services reject two of them together, others read only one. */
const names = ['max_completion_tokens', 'max_tokens', 'max_output_tokens'] as const;

/** The names that a route reads, the preferred one first. */
const readOn: Readonly<Record<string, readonly string[]>> = {
  'chat/completions': ['max_completion_tokens', 'max_tokens'],
  completions: ['max_tokens'],
  messages: ['max_tokens'],
  responses: ['max_output_tokens'],
} satisfies { readonly [E in Endpoint]?: readonly string[] };

/** Routes that read the output limit. */
export const limitRoutes = Object.keys(readOn) as readonly Endpoint[];

/** Returns the other names of a field, which must be removed when the field is written. */
export const otherLimitNames = (field: string): readonly string[] => (isLimit(field) ? names.filter((name) => name !== field) : []);

const isLimit = (field: string): boolean => names.some((name) => name === field);

/** Fields of a body with the same meaning as written fields, under another name: they must be removed. */
export const overruledBy = (written: Plain): readonly string[] =>
  Object.keys(written).some(isLimit) ? names.filter((name) => !Object.hasOwn(written, name)) : [];

/** Returns written fields with the output limit under a name that the route reads. */
export function limitNamedFor(endpoint: string, written: Plain): Plain {
  const given = Object.keys(written).filter(isLimit);
  const read = Object.hasOwn(readOn, endpoint) ? readOn[endpoint] : undefined;
  const name = given.find((one) => read?.includes(one)) ?? read?.[0];
  if (name === undefined || given.every((one) => read?.includes(one))) return written;
  const rest = Object.entries(written).filter(([key]) => !given.includes(key) || read?.includes(key));
  return { ...Object.fromEntries(rest), [name]: written[name] ?? written[given[0] ?? ''] };
}
