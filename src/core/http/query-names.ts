import { namesModel, plainName } from '../json/model-fields.ts';

/**
 * The models that a query names under any spelling of a parameter, decoded; every one of a parameter that is repeated, since
 * services differ in which they read, and some take `;` for a separator.
 */
export function modelsInQuery(query: string): readonly string[] {
  if (query === '') return none;
  const names: string[] = [];
  for (const pairs of query.includes(';') ? [query, query.replaceAll(';', '&')] : [query])
    for (const [name, value] of new URLSearchParams(pairs)) if (namesModel(plainName(name)) && !names.includes(value)) names.push(value);
  return names;
}

/** The model of a query's parameter `model`, however its name is spelled; '' without one. */
export function modelInQuery(query: string): string {
  if (!/model|%/i.test(query)) return '';
  for (const [name, value] of new URLSearchParams(query)) if (name.toLowerCase() === 'model') return value;
  return '';
}

const none: readonly string[] = Object.freeze([]);
