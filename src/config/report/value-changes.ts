import type { Steps } from '../../core/async/steps.ts';
import { type Change, structuralDiff } from '../../core/diff/structural-diff.ts';
import { masked } from '../../core/secrets/credential-names.ts';
import type { Mask } from '../../core/secrets/mask.ts';
import { formatPath, type Path } from '../read/node.ts';
import { isSecretKey, maskUrlSecrets } from '../read/secrets.ts';
import type { EntryChange } from './diff.ts';

/** One value that differs, as text that may be shown: secrets masked, long values truncated. */
export interface ValueChange {
  /** For example `configs.support.targets[0].override_params.temperature`. */
  readonly path: string;
  /** Null if there was no value. Equal to `after` if only masked or truncated parts differ. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Longest value shown, in characters. */
const maxValueLength = 200;

/** The values that differ in changed entries, one entry in each step. */
export function* valueChangeSteps(entries: readonly EntryChange[], mask: Mask): Steps<readonly ValueChange[]> {
  const found: ValueChange[] = [];
  for (const { sign, path: entry, before, after } of entries) {
    yield;
    const changes: readonly Change[] = sign === '~' ? structuralDiff(before, after) : [{ kind: 'changed', path: [], before, after }];
    for (const { kind, path, from, ...values } of changes) {
      const shown = (value: unknown, at: Path): string | null => (value === undefined ? null : shownValue(value, [...entry, ...at], mask));
      const [was, is] = [shown(values.before, path), shown(values.after, path)];
      if (kind === 'moved') found.push({ path: formatPath([...entry, ...(from ?? [])]), before: is, after: null });
      found.push({ path: formatPath([...entry, ...path]), before: was, after: is });
    }
  }
  return found;
}

/** A string as it is, other values as JSON. Services choose the names of headers, and most are keys. */
function shownValue(value: unknown, path: Path, mask: Mask): string {
  const isHidden = (key: string | number): boolean => key === 'headers' || isSecretKey(key);
  if (path.slice(2).some(isHidden)) return masked;
  const shown = (key: string, one: unknown): unknown => (isHidden(key) ? masked : typeof one === 'string' ? maskUrlSecrets(one) : one);
  const text = mask.text(typeof value === 'string' ? maskUrlSecrets(value) : JSON.stringify(value, shown));
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
}
