import { child, type SourceLocation, textOf } from '../../read/node.ts';
import { type CheckContext, sitesOf } from '../context.ts';

interface Link {
  readonly to: string;
  readonly at: SourceLocation;
}

/** Configs that are targets of each other; each loop is reported once, at the link that closes it. */
export function cycles({ root, report }: CheckContext): void {
  const links = new Map<string, Link[]>();
  for (const { node, config } of sitesOf(root)) {
    const target = child(node, 'config');
    const to = textOf(target);
    if (target !== undefined && to !== undefined) links.set(config, [...(links.get(config) ?? []), { to, at: target.at }]);
  }
  const done = new Set<string>();
  const follow = (name: string, trail: readonly string[]): void => {
    if (done.has(name)) return;
    for (const { to, at } of links.get(name) ?? []) {
      const start = [...trail, name].indexOf(to);
      if (start < 0) follow(to, [...trail, name]);
      else
        report({
          code: 'cycle',
          at,
          message: 'the configs refer to each other in a cycle',
          hint: [...trail, name, to].slice(start).join(' → '),
        });
    }
    done.add(name);
  };
  for (const name of links.keys()) follow(name, []);
}
