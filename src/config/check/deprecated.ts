import { isJsonObject } from '../../core/json/merge.ts';
import { providerOf } from '../read/registry.ts';
import { child, entriesOf, type Entry, textOf } from '../read/node.ts';
import { type CheckContext, sectionEntries, sitesOf } from './context.ts';
import { isOldName } from '../read/key-aliases.ts';

/** Reports old key names, and settings that the schema of a provider type marks `deprecated`. */
export function checkDeprecatedKeys(context: CheckContext): void {
  for (const { node } of sitesOf(context.root)) {
    for (const entry of [...entriesOf(node), ...entriesOf(child(node, 'retry'))]) checkOldName(entry, context);
  }
  for (const { value } of sectionEntries(context.root, 'providers').values()) {
    const provider = providerOf(context.registry, textOf(child(value, 'type')) ?? '');
    const properties = isJsonObject(provider?.entry.settings['properties']) ? provider.entry.settings['properties'] : {};
    for (const { key, keyAt } of entriesOf(value)) {
      const schema = properties[key];
      if (!isJsonObject(schema) || schema['deprecated'] !== true) continue;
      const hint = typeof schema['description'] === 'string' ? schema['description'] : 'remove it';
      context.report({ code: 'deprecated', at: keyAt, message: `"${key}" is an old name`, hint });
    }
  }
}

function checkOldName({ key, written, keyAt }: Entry, { report }: CheckContext): void {
  if (key === written || !isOldName(written)) return;
  report({ code: 'deprecated', at: keyAt, message: `"${written}" is an old name`, hint: `write ${key}, or run gateway fmt --fix` });
}
