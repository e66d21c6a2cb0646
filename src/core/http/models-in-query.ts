import { namesModel, plainName } from '../json/model-fields.ts';

/**
 * Returns the models named in a query, decoded, under any spelling of the parameter and from every repetition, because
 * services differ in which one they read, and some accept `;` as a separator.
 */
export function modelsInQuery(query: string): readonly string[] {
  if (query === '') return none;
  const names = new Set<string>();
  for (const pairs of query.includes(';') ? [query, query.replaceAll(';', '&')] : [query])
    for (const [name, value] of new URLSearchParams(pairs)) if (namesModel(plainName(name))) names.add(value);
  return [...names];
}

/** Returns the model in a query's parameter `model`, in any case; '' without one. */
export function modelInQuery(query: string): string {
  if (!/model|%/i.test(query)) return '';
  for (const [name, value] of new URLSearchParams(query)) if (name.toLowerCase() === 'model') return value;
  return '';
}

const none: readonly string[] = Object.freeze([]);
