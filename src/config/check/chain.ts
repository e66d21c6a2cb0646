import type { Moment } from '../../core/plugin.ts';
import { moments } from '../../core/plugin.ts';
import { child, itemsOf, type Node, textOf } from '../read/node.ts';
import { placeText } from '../report/problem.ts';
import type { CheckContext } from './context.ts';

/** The first moment of each stage: between moments the order of the list changes nothing. */
const firstMoment: Readonly<Record<string, Moment>> = {
  auth: 'admit',
  'virtual-key': 'admit',
  routing: 'plan',
  transform: 'prepare',
  'fallback-retry': 'judge',
  logging: 'record',
};

/** The list of plugins: what an entry is, each once, in an order that means something. */
export function chain({ root, kit, report }: CheckContext): void {
  const seen = new Map<string, Node>();
  let latest: string | undefined;
  for (const item of itemsOf(child(root, 'plugins'))) {
    if (item.kind === 'map') oneOf(item, report);
    const name = textOf(item) ?? textOf(child(item, 'name'));
    if (name === undefined || !kit.plugins.some((plugin) => plugin.name === name)) continue;
    const first = seen.get(name);
    if (first !== undefined) {
      report({
        code: 'conflict',
        at: item.at,
        message: `"${name}" is listed twice in the chain`,
        hint: `remove one; the first is at ${placeText(first.at)}`,
      });
      continue;
    }
    seen.set(name, item);
    if (latest !== undefined && order(name) < order(latest)) {
      const hint = `${name} acts at "${firstMoment[name]}", before the "${firstMoment[latest]}" of ${latest}, whatever its position`;
      report({ code: 'never-used', at: item.at, message: `"${name}" after "${latest}" has no effect`, hint });
    } else latest = name;
  }
}

function order(name: string): number {
  const moment = firstMoment[name];
  return moment === undefined ? moments.length : moments.indexOf(moment);
}

function oneOf(item: Node & { kind: 'map' }, report: CheckContext['report']): void {
  const name = item.entries.get('name');
  const use = item.entries.get('use');
  if (name === undefined && use === undefined) {
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
