import type { HeaderBag } from './headers.ts';
import type { Provider } from './provider.ts';

/** Settings of a provider that a request brings in its headers. */
export interface BroughtSettings {
  readonly settings: Readonly<Record<string, string>>;
  /** Header tail of the first one that shapes host or path. */
  readonly shaping: string | undefined;
}

/** Reads the headers that a provider's `requestSettings` name; undefined when the request brings none. */
export function settingsIn(headers: HeaderBag, provider: Provider): BroughtSettings | undefined {
  let settings: Record<string, string> | undefined;
  let shaping: string | undefined;
  for (const { setting, headers: tails, shapesHost } of provider.requestSettings) {
    for (const tail of tails) {
      const value = headers.tail(tail);
      if (value === undefined || value === '') continue;
      settings ??= {};
      settings[setting] ??= value;
      if (shapesHost) shaping ??= tail;
    }
  }
  return settings === undefined ? undefined : { settings, shaping };
}

/** The header tail of a setting that shapes host or path, where the request brings one. Allocates nothing. */
export function shapingIn(headers: HeaderBag, provider: Provider): string | undefined {
  for (const { headers: tails, shapesHost } of provider.requestSettings) {
    if (!shapesHost) continue;
    for (const tail of tails) if (headers.tail(tail) !== undefined) return tail;
  }
  return undefined;
}
