import { locationText } from '../report/problem.ts';
import { child, itemsOf, textOf } from '../read/node.ts';
import { type CheckContext, sectionEntries, sitesOf } from './context.ts';

/** `@cf/…` and `@hf/…` are model names. `constructor` is a member of every JavaScript object, so it cannot be a name. */
const reserved: ReadonlyMap<string, string> = new Map([
  ['cf', 'model names begin with @cf/: choose another name'],
  ['hf', 'model names begin with @hf/: choose another name'],
  ['constructor', 'choose another name'],
]);

/** Checks that names are allowed and unique. Providers and virtual keys share one namespace; target names are unique per list. */
export function checkNames({ root, report }: CheckContext): void {
  const providers = sectionEntries(root, 'providers');
  for (const [name, entry] of sectionEntries(root, 'virtual_keys')) {
    const other = providers.get(name);
    if (other === undefined) continue;
    const hint = `the provider is at ${locationText(other.keyAt)}; "@${name}" could mean either`;
    report({ code: 'duplicate-key', at: entry.keyAt, message: `"${name}" is a provider and a virtual key`, hint });
  }
  for (const entry of [...providers.values(), ...sectionEntries(root, 'virtual_keys').values()]) {
    const hint = reserved.get(entry.key);
    if (hint === undefined) continue;
    report({ code: 'bad-name', at: entry.keyAt, message: `"${entry.key}" is a reserved name`, hint });
  }
  for (const { node } of sitesOf(root)) {
    const seen = new Map<string, string>();
    for (const target of itemsOf(child(node, 'targets'))) {
      const name = child(target, 'name');
      const text = textOf(name);
      if (name === undefined || text === undefined) continue;
      const first = seen.get(text);
      if (first === undefined) seen.set(text, locationText(name.at));
      else report({ code: 'duplicate-key', at: name.at, message: `two targets are called "${text}"`, hint: `the first is at ${first}` });
    }
  }
}
