import type { Origin } from '../../core/logs/explanation.ts';
import type { Mask } from '../../core/secrets/mask.ts';
import type { DefaultValue } from './defaults.ts';
import type { WrittenLocations } from './origins.ts';

/** A value that applies: from a file, or a default. */
export interface EffectiveValue {
  readonly path: string;
  /** Printable form: references unresolved, secrets masked. */
  readonly value: string;
  readonly origin: Origin | 'default';
}

/** The values of the files in their order, each section or named entry followed by its defaults. */
export function effectiveValues({ values }: WrittenLocations, defaults: readonly DefaultValue[], mask: Mask): readonly EffectiveValue[] {
  const groups = new Map<string, EffectiveValue[]>();
  for (const one of [...values, ...defaults.map((each) => ({ ...each, origin: 'default' as const }))]) {
    const name = groupOf(one.path);
    const group = groups.get(name) ?? [];
    groups.set(name, group);
    group.push({ ...one, path: mask.text(one.path), value: mask.text(one.value) });
  }
  return [...groups.values()].flat();
}

/** A section of settings, or an entry of a section with named entries. */
const groupPattern = /^(?:(?:providers|virtual_keys|api_keys|configs|prompts|pricing)\.(?:"(?:[^"\\]|\\.)*"|[^.[]+)|[^.[]+)/;

const groupOf = (path: string): string => groupPattern.exec(path)?.[0] ?? path;
