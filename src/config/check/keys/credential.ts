import { isJsonObject } from '../../../core/json/merge.ts';
import type { Provider } from '../../../core/provider.ts';
import { type Node, traverse } from '../../read/node.ts';

/** Names of the settings of this type that are secrets: its schema marks them `writeOnly`. */
export function secretSettings(provider: Provider): string[] {
  const { properties } = provider.entry.settings;
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, schema]) => (isJsonObject(schema) && schema['writeOnly'] === true ? [name] : []));
}

/** True when a provider entry contains a credential at any depth, including in its deployments. */
export function hasCredential(node: Node, provider: Provider): boolean {
  const secrets = new Set(['api_key', ...secretSettings(provider)]);
  let found = false;
  traverse(node, (_node, path) => {
    const key = path.at(-1);
    if (typeof key === 'string' && secrets.has(key)) found = true;
    return !found;
  });
  return found;
}
