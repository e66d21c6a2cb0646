import { nearest } from '../../../core/text/nearest.ts';
import type { Provider } from '../../../core/provider.ts';
import { joinList } from '../../validate/describe.ts';
import { child, type Entry, entriesOf } from '../../read/node.ts';
import { authModeOf } from '../../schema/provider-auth.ts';
import { type CheckContext, entryOf, valueOf } from '../context.ts';

/**
 * Reports keys under `auth:` that its mode does not accept, since they would have no effect. Returns false when the
 * signing method is unknown.
 * @param entryPath of the entry, for messages
 */
export function checkAuthKeys(entry: Entry, provider: Provider, entryPath: string, { report }: CheckContext): boolean {
  const auth = entryOf(entry.value, 'auth');
  const mode = valueOf(child(auth?.value, 'mode'));
  // A key next to another mode is a conflict, which another rule reports.
  const modeKeys = entriesOf(auth?.value).filter(({ key }) => key !== 'mode' && key !== 'api_key' && !key.startsWith('x-'));
  const [first] = modeKeys;
  if (auth === undefined || first === undefined) return true;
  if (mode === undefined) {
    const modes = Object.entries(provider.entry.authModes ?? {}).filter(([, one]) => Object.hasOwn(one.properties, first.key));
    const hint = `"${first.key}" belongs to ${joinList(
      modes.map(([name]) => `mode: ${name}`),
      'or',
    )}`;
    report({ code: 'missing-key', at: auth.keyAt, message: `"mode" is missing in ${entryPath}.auth`, hint });
    return false;
  }
  const acceptedKeys = Object.keys(authModeOf(provider, mode)?.mode.properties ?? {});
  for (const { key, written, keyAt } of modeKeys) {
    if (acceptedKeys.includes(key)) continue;
    const meant = nearest(key, acceptedKeys);
    const known = acceptedKeys.length === 0 ? 'remove it' : `allowed: ${acceptedKeys.join(', ')}`;
    const hint = meant === undefined ? known : `did you mean "${meant}"?`;
    report({ code: 'unknown-key', at: keyAt, message: `"${written}" is not a key of auth mode ${String(mode)}`, hint, show: 'none' });
  }
  return true;
}
