import { moments, type Plugin } from '../../core/plugin.ts';
import { child, itemsOf, type Node } from '../read/node.ts';
import { pluginOf } from '../read/registry.ts';
import { locationText } from '../report/problem.ts';
import { type CheckContext, lacks } from './context.ts';

/** Checks `plugins`: each item names a plugin, no plugin is listed twice, and no position is without effect. */
export function checkChain({ root, registry, report }: CheckContext): void {
  const seen = new Map<string, Node>();
  let latest: Plugin | undefined;
  for (const item of itemsOf(child(root, 'plugins'))) {
    if (item.kind === 'map') checkNameOrUse(item, report);
    const plugin = pluginOf(item, registry);
    if (plugin === undefined) continue;
    const { name } = plugin;
    const first = seen.get(name);
    if (first !== undefined) {
      report({
        code: 'conflict',
        at: item.at,
        message: `"${name}" is listed twice in the chain`,
        hint: `remove one; the first is at ${locationText(first.at)}`,
      });
      continue;
    }
    seen.set(name, item);
    if (isAnywhere(plugin)) continue;
    if (latest !== undefined && isBefore(plugin, latest)) {
      const hint = `${name} acts at ${momentsText(plugin)}, before the ${momentsText(latest)} of ${latest.name}, whatever its position`;
      report({ code: 'never-used', at: item.at, message: `the position of "${name}" after "${latest.name}" has no effect`, hint });
    } else latest = plugin;
  }
}

/** True when the last moment of the first plugin precedes the first moment of the other. The list orders plugins only within one moment. */
function isBefore({ moments: one = [] }: Plugin, { moments: other = [] }: Plugin): boolean {
  const last = Math.max(...one.map((moment) => moments.indexOf(moment)));
  const first = Math.min(...other.map((moment) => moments.indexOf(moment)));
  return one.length > 0 && other.length > 0 && last < first;
}

/** Nothing else acts at `send`, so a plugin with this moment alone is written where a reader expects it. */
const isAnywhere = ({ moments: declared = [] }: Plugin): boolean => declared.length === 1 && declared[0] === 'send';

const momentsText = ({ moments: declared = [] }: Plugin): string => declared.map((moment) => `"${moment}"`).join(' and ');

function checkNameOrUse(item: Node & { kind: 'map' }, report: CheckContext['report']): void {
  const name = item.entries.get('name');
  const use = item.entries.get('use');
  if (lacks(item, 'name') && lacks(item, 'use')) {
    report({
      code: 'missing-key',
      at: item.at,
      message: 'an item of "plugins" needs "name" or "use"',
      hint: 'add name: auth, or use: ./my-plugin.ts',
    });
  } else if (name !== undefined && use !== undefined) {
    report({
      code: 'conflict',
      at: name.keyAt,
      message: '"name" cannot be combined with "use"',
      hint: 'remove "name": the file of the plugin defines its name',
    });
  }
}
