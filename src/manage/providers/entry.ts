import type { Entry } from '../../config/read/node.ts';
import type { ProviderConfig } from '../../config/schema/index.ts';
import type { ProviderBinding } from '../../core/snapshot.ts';

/** One entry of `providers:` in all its forms. */
export interface CatalogEntry {
  readonly slug: string;
  readonly entry: ProviderConfig;
  readonly binding: ProviderBinding;
  /** As it is in its file: references unresolved, with places. */
  readonly written: Entry | undefined;
  /** Variable or file that it lacks. */
  readonly missing: string | undefined;
}

/** Why no request goes to an entry; undefined when it is in use. */
export function whyOff({ entry, missing }: CatalogEntry): string | undefined {
  if (entry.enabled === false) return 'enabled: false';
  if (missing === undefined) return undefined;
  return /^[A-Za-z_]\w*$/.test(missing) ? `${missing} is not set` : `${missing} cannot be read`;
}
