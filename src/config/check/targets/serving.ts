import { child, type Entry, itemsOf, keyPlace, textOf } from '../../read/node.ts';
import { type CheckContext, entryOf, section, sitesOf, valueOf } from '../context.ts';

/** Stages without which no request reaches a provider. */
const needed = ['routing', 'transform'] as const;

/** A chain that is written leaves nothing out that the rest of the configuration needs. */
export function serving(context: CheckContext): void {
  const { root, kit, report } = context;
  const plugins = child(root, 'plugins');
  if (plugins?.kind !== 'list' || !context.valid(['plugins'])) return;
  const written = plugins.items.flatMap((item) => textOf(item) ?? textOf(child(item, 'name')) ?? []);
  // A name that does not exist was meant to be another one.
  if (written.some((name) => !kit.plugins.some((plugin) => plugin.name === name))) return;
  const names = new Set(written);
  const missing = needed.filter((name) => !names.has(name));
  if (missing.length > 0) {
    const message = `the chain has no "${missing.join('" and no "')}": no request reaches a provider`;
    const hint = `add ${missing.join(' and ')} to plugins, unless a plugin of your own does the work`;
    report({ code: 'missing-key', severity: 'warning', at: keyPlace(root, ['plugins']), message, hint });
  }
  if (!names.has('fallback-retry')) unused('fallback-retry', usesOfFallbackRetry(context), context);
  if (!names.has('virtual-key'))
    unused('virtual-key', section(root, 'virtual_keys').size > 0 ? topEntry(context, 'virtual_keys') : [], context);
}

const topEntry = ({ root }: CheckContext, key: string): Entry[] => {
  const entry = entryOf(root, key);
  return entry === undefined ? [] : [entry];
};

function usesOfFallbackRetry({ root }: CheckContext): Entry[] {
  return sitesOf(root).flatMap(({ node }) => {
    const strategy = entryOf(node, 'strategy');
    const falls = valueOf(child(strategy?.value, 'mode')) === 'fallback' && itemsOf(child(node, 'targets')).length > 1;
    return [entryOf(node, 'retry'), falls ? strategy : undefined].flatMap((entry) => entry ?? []);
  });
}

/** Once, at the first place that needs it. */
function unused(plugin: string, [first, ...more]: readonly Entry[], { report }: CheckContext): void {
  if (first === undefined) return;
  report({
    code: 'never-used',
    at: first.keyAt,
    message: `"${first.written}" has no effect: the chain has no "${plugin}"`,
    hint: `add ${plugin} to plugins`,
    note: more.length === 0 ? undefined : `the same holds for ${more.length} other ${more.length === 1 ? 'place' : 'places'}`,
  });
}
