import type { Provider } from '../../../core/provider.ts';
import { providerOf, providerOfVirtualKey } from '../../read/registry.ts';
import { child, type Entry, itemsOf, type Node, textOf } from '../../read/node.ts';
import { authModeOf } from '../../schema/provider-auth.ts';
import { type CheckContext, entryOf, sectionEntries, sitesOf, valueOf } from '../context.ts';

interface Exclusion {
  readonly keep: string;
  /** Keys that are ignored when `keep` is set. */
  readonly drop: readonly string[];
  readonly because: string;
}

/** Rules for targets: the first key decides where the request is sent, so the others would be ignored. */
const inTargets: readonly Exclusion[] = [
  { keep: 'targets', drop: ['provider', 'virtual_key', 'api_key', 'config'], because: 'the targets choose for themselves' },
  { keep: 'config', drop: ['provider', 'virtual_key', 'api_key', 'strategy'], because: 'the named config chooses' },
  { keep: 'provider', drop: ['virtual_key'], because: 'each of them names a provider' },
];

/** Reports keys that exclude each other. */
export function checkConflicts(context: CheckContext): void {
  for (const { node } of sitesOf(context.root)) {
    const ignored = new Set<string>();
    for (const rule of inTargets) for (const key of reportExcluded(node, rule, ignored, context)) ignored.add(key);
  }
  const { root, registry } = context;
  for (const { value } of sectionEntries(root, 'providers').values())
    checkApiKeyConflict(value, providerOf(registry, textOf(child(value, 'type')) ?? ''), context);
  for (const { value } of sectionEntries(root, 'virtual_keys').values())
    checkApiKeyConflict(value, providerOfVirtualKey(value, root, registry), context);
  checkDuplicateHashes(context);
}

function reportExcluded(node: Node, { keep, drop, because }: Exclusion, ignored: ReadonlySet<string>, { report }: CheckContext): string[] {
  const deciding = entryOf(node, keep);
  if (deciding === undefined || ignored.has(keep)) return [];
  return drop.flatMap((key) => {
    const entry = ignored.has(key) ? undefined : entryOf(node, key);
    if (entry === undefined) return [];
    report({
      code: 'conflict',
      at: entry.keyAt,
      message: `"${entry.written}" cannot be combined with "${deciding.written}"`,
      hint: `remove "${entry.written}": ${because}`,
    });
    return [key];
  });
}

/** In a provider entry or virtual key: two API keys, or an API key with an auth mode that uses none. */
function checkApiKeyConflict(node: Node, provider: Provider | undefined, { report }: CheckContext): void {
  const auth = child(node, 'auth');
  const outer = entryOf(node, 'api_key');
  const inner = entryOf(auth, 'api_key');
  if (outer !== undefined && inner !== undefined) {
    report({
      code: 'conflict',
      at: inner.keyAt,
      message: '"api_key" and "auth.api_key" are both set',
      hint: 'remove one',
      show: 'none',
    });
  }
  const ignoredKey: Entry | undefined = outer ?? inner;
  const mode = valueOf(child(auth, 'mode'));
  const usesNoKey = mode === 'caller' || (provider !== undefined && authModeOf(provider, mode) !== undefined);
  if (!usesNoKey || ignoredKey === undefined) return;
  const hint = 'remove "api_key", or write auth: {mode: api_key}';
  report({
    code: 'conflict',
    at: ignoredKey.keyAt,
    message: `"api_key" cannot be combined with auth mode ${String(mode)}`,
    hint,
    show: 'none',
  });
}

/** Reports one hash under two key names: the request log could not identify the caller. */
function checkDuplicateHashes({ root, report }: CheckContext): void {
  const seen = new Map<string, string>();
  for (const [name, entry] of sectionEntries(root, 'api_keys')) {
    const older = itemsOf(child(entry.value, 'previous')).map((secret) => child(secret, 'hash'));
    for (const hash of [child(entry.value, 'hash'), ...older]) {
      const text = String(valueOf(hash)).toLowerCase();
      const first = seen.get(text);
      if (hash === undefined || !text.startsWith('sha256:')) continue;
      if (first === undefined) seen.set(text, name);
      else
        report({
          code: 'conflict',
          at: hash.at,
          message: first === name ? `api_keys.${name} has the same hash twice` : `api_keys.${name} has the same hash as api_keys.${first}`,
          hint: 'remove one',
          show: 'none',
        });
    }
  }
}
