import { isSecretSetting } from '../../../core/model/request-settings.ts';
import type { Provider } from '../../../core/provider.ts';
import { type Node, traverse } from '../../read/node.ts';

/** True when a provider entry contains a credential at any depth, including in its deployments. */
export function hasCredential(node: Node, provider: Provider): boolean {
  let found = false;
  traverse(node, (_node, path) => {
    const key = path.at(-1);
    if (typeof key === 'string' && (key === 'api_key' || isSecretSetting(provider, key))) found = true;
    return !found;
  });
  return found;
}
