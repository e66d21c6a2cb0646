import type { Provider } from '../../../core/provider.ts';
import type { Notes } from './notes.ts';
import type { SourceTree } from './source.ts';
import type { Variables } from './variables.ts';

/** Sections of a `gateway.yaml` under construction. */
export interface Sections {
  readonly providers: Record<string, Record<string, unknown>>;
  readonly virtual_keys: Record<string, Record<string, unknown>>;
  readonly api_keys: Record<string, Record<string, unknown>>;
  readonly configs: Record<string, Record<string, unknown>>;
}

export interface Conversion {
  readonly sources: readonly SourceTree[];
  readonly notes: Notes;
  readonly variables: Variables;
  readonly providers: readonly Provider[];
}

/** Result of a converter: the sections, and what was mapped, in words. */
export interface Converted {
  readonly sections: Sections;
  readonly mapped: string;
}

/** In the order of `gateway fmt`. */
export const emptySections = (): Sections => ({ providers: {}, virtual_keys: {}, api_keys: {}, configs: {} });
