import { type Conversion, type Converted, emptySections } from '../conversion.ts';
import { escaped } from '../variables.ts';
import { addAccounts } from './accounts.ts';
import { savedConfigs } from './saved.ts';
import { TargetConverter } from './target.ts';
import { plural } from '../../../../core/text/wording.ts';

/** Converts saved configs of Portkey. The format of configs is the same; virtual keys are stored elsewhere there. */
export function convertPortkey(conversion: Conversion): Converted {
  const sections = emptySections();
  const converter = new TargetConverter(conversion);
  for (const source of conversion.sources)
    for (const { name, node, description } of savedConfigs(source, conversion)) {
      const free = freeName(name, sections.configs);
      if (free !== name) conversion.notes.different(`config ${name}`, node.at, `its name here is ${free}: another config has its name`);
      const config = converter.convert(node, '') as Record<string, unknown>;
      sections.configs[free] = { ...(description === undefined ? {} : { description: escaped(description) }), ...config };
    }
  addAccounts(converter.accounts, sections, conversion);
  const count = (section: object): number => Object.keys(section).length;
  const keys = `${plural(count(sections.virtual_keys), 'virtual key')}, ${plural(count(sections.providers), 'provider')}`;
  return { sections, mapped: `${plural(count(sections.configs), 'config')}, ${keys}` };
}

function freeName(wanted: string, taken: object): string {
  let name = wanted;
  for (let n = 2; Object.hasOwn(taken, name); n += 1) name = `${wanted}-${n}`;
  return name;
}
