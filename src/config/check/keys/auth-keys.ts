import { nearest } from '../../../core/text/nearest.ts';
import type { Provider } from '../../../core/provider.ts';
import { listOf } from '../../validate/describe.ts';
import { child, type Entry, entriesOf } from '../../read/node.ts';
import { authModeOf } from '../../schema/provider-auth.ts';
import { type CheckContext, entryOf, valueOf } from '../context.ts';

/**
 * Reports keys under `auth:` that its mode does not accept, since they would have no effect. Returns false when the
 * signing method is unknown.
 * @param place of the entry, for messages
 */
export function authKeys(entry: Entry, provider: Provider, place: string, { report }: CheckContext): boolean {
  const auth = entryOf(entry.value, 'auth');
  const mode = valueOf(child(auth?.value, 'mode'));
  // A key next to another mode is a conflict, which another rule reports.
  const extra = entriesOf(auth?.value).filter(({ key }) => key !== 'mode' && key !== 'api_key' && !key.startsWith('x-'));
  const [first] = extra;
  if (auth === undefined || first === undefined) return true;
  if (mode === undefined) {
    const modes = Object.entries(provider.entry.authModes ?? {}).filter(([, one]) => Object.hasOwn(one.properties, first.key));
    const hint = `"${first.key}" belongs to ${listOf(
      modes.map(([name]) => `mode: ${name}`),
      'or',
    )}`;
    report({ code: 'missing-key', at: auth.keyAt, message: `"mode" is missing in ${place}.auth`, hint });
    return false;
  }
  const takes = Object.keys(authModeOf(provider, mode)?.mode.properties ?? {});
  for (const { key, written, keyAt } of extra) {
    if (takes.includes(key)) continue;
    const meant = nearest(key, takes);
    const known = takes.length === 0 ? 'remove it' : `allowed: ${takes.join(', ')}`;
    const hint = meant === undefined ? known : `did you mean "${meant}"?`;
    report({ code: 'unknown-key', at: keyAt, message: `"${written}" is not a key of auth mode ${String(mode)}`, hint, show: 'none' });
  }
  return true;
}
