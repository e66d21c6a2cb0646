import type { WireEvent } from '../../../core/events.ts';
import { textOf } from '../json.ts';
import { topLevelMembers } from './json-tap.ts';

const typeMember: ReadonlySet<string> = new Set(['type']);

/**
 * Returns the type of a stream event: its name or, if a framing or service leaves the name out or sends another one, the `type`
 * member, which is normally the first one. '' if there is neither. Other members are skipped unparsed, because an event may contain
 * megabytes.
 *
 * @param names of the format's own events; if absent, any name is a type
 */
export function eventTypeOf({ name, data }: WireEvent, names?: ReadonlySet<string>): string {
  if (names === undefined ? name !== '' : names.has(name)) return name;
  return /^\s*\{\s*"type"\s*:\s*"([^"\\]*)"/.exec(data)?.[1] ?? textOf(topLevelMembers(data, typeMember)?.['type']) ?? name;
}
