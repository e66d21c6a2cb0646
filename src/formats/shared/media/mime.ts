import { createRequire } from 'node:module';
import type * as Mime from 'mime';
import { percentDecoded } from '../../../core/http/query.ts';

const load = createRequire(import.meta.url);

/** The first call loads the registry. */
const mime = (): typeof Mime.default => (load('mime') as typeof Mime).default;

/**
 * Media types of extensions for which the registry has no type, or another one than the services use. `.ts` and `.mts` are source
 * code here, not video.
 */
const typesByExtension: Readonly<Record<string, string>> = {
  m4v: 'video/mp4',
  mpg: 'video/mpg',
  mpegps: 'video/mpegps',
  wmv: 'video/wmv',
  avi: 'video/avi',
  '3gp': 'video/3gpp',
  '3gpp': 'video/3gpp',
  flac: 'audio/flac',
  aac: 'audio/aac',
  m4a: 'audio/m4a',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  rtf: 'application/rtf',
  ...Object.fromEntries(
    'log ts mts cts tsx jsx py pyi rb rs go java kt kts swift c h cc cpp hpp cs php pl lua r scala sh bash zsh ps1 sql toml ini cfg conf env proto graphql vue svelte ipynb rst adoc tex diff patch'
      .split(' ')
      .map((extension) => [extension, 'text/plain']),
  ),
};

/** Returns the media type by the extension of a path or file name, in any letter case; undefined without a known extension. */
export function typeOfPath(path: string): string | undefined {
  const file = path.slice(path.lastIndexOf('/') + 1);
  const dot = file.lastIndexOf('.');
  if (dot < 0) return undefined;
  const extension = file.slice(dot + 1).toLowerCase();
  if (Object.hasOwn(typesByExtension, extension)) return typesByExtension[extension];
  return mime().getType(extension) ?? undefined;
}

/** The same for the path of a URL, whose escapes are decoded. */
export const typeOfUrl = (url: string): string | undefined => typeOfPath(fileName(url));

/** Returns the last segment of a URL's path, with its escapes decoded; '' if the path has none. */
export function fileName(url: string): string {
  const path = percentDecoded((url.split(/[?#]/, 1)[0] ?? '').replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, ''));
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A URL as messages show it: without its query, which may contain a signature. */
export const shownUrl = (url: string): string => (url.split(/[?#]/, 1)[0] ?? '').slice(0, 200);

/** Returns the usual extension of a media type; `pdf` if it has none. */
export const extensionOf = (type: string): string => mime().getExtension(type) ?? 'pdf';
