import { placeText } from '../report/problem.ts';
import { child, itemsOf, textOf } from '../read/node.ts';
import { type CheckContext, section, sitesOf } from './context.ts';

/** `@cf/…` and `@hf/…` are model names, never provider slugs. */
const reserved: ReadonlySet<string> = new Set(['cf', 'hf']);

/** Checks that names are allowed and unique. Providers and virtual keys share one namespace; target names are unique per list. */
export function names({ root, report }: CheckContext): void {
  const providers = section(root, 'providers');
  for (const [name, entry] of section(root, 'virtual_keys')) {
    const other = providers.get(name);
    if (other === undefined) continue;
    const hint = `the provider is at ${placeText(other.keyAt)}; "@${name}" could mean either`;
    report({ code: 'duplicate-key', at: entry.keyAt, message: `"${name}" is a provider and a virtual key`, hint });
  }
  for (const entry of [...providers.values(), ...section(root, 'virtual_keys').values()]) {
    if (!reserved.has(entry.key)) continue;
    const hint = `model names begin with @${entry.key}/: choose another name`;
    report({ code: 'bad-name', at: entry.keyAt, message: `"${entry.key}" is a reserved name`, hint });
  }
  for (const { node } of sitesOf(root)) {
    const seen = new Map<string, string>();
    for (const target of itemsOf(child(node, 'targets'))) {
      const name = child(target, 'name');
      const text = textOf(name);
      if (name === undefined || text === undefined) continue;
      const first = seen.get(text);
      if (first === undefined) seen.set(text, placeText(name.at));
      else report({ code: 'duplicate-key', at: name.at, message: `two targets are called "${text}"`, hint: `the first is at ${first}` });
    }
  }
}
