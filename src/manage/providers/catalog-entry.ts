import type { Entry } from '../../config/read/node.ts';
import type { ProviderConfig } from '../../config/schema/index.ts';
import type { ProviderBinding } from '../../core/snapshot.ts';

/** A provider of `providers:` in all its forms. */
export interface CatalogEntry {
  readonly slug: string;
  readonly entry: ProviderConfig;
  readonly binding: ProviderBinding;
  /** The unparsed entry: references unresolved, with positions. */
  readonly written: Entry | undefined;
  /** The environment variable or file that it needs and that is missing. */
  readonly missing: string | undefined;
}

/** Returns why a provider gets no requests; undefined if it is in use. */
export function disabledReason({ entry, missing }: Pick<CatalogEntry, 'entry' | 'missing'>): string | undefined {
  if (entry.enabled === false) return 'enabled: false';
  if (missing === undefined) return undefined;
  return /^[A-Za-z_]\w*$/.test(missing) ? `${missing} is not set` : `${missing} cannot be read`;
}
