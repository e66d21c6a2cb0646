import { keyVariable, yamlOf } from '../../config/edit/new-entry.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { ImportedUri, MissingPart, Provider } from '../../core/provider.ts';
import type { Registry } from '../../gateway/types.ts';
import type { CliIo } from '../io.ts';
import { checkSlug } from './draft.ts';
import { CommandError, exitCodes } from '../command.ts';
import { jsonText } from '../text.ts';

export interface ImportFlags {
  readonly slug?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Result of parsing a URI, with the type that recognized it. */
export interface Imported extends ImportedUri {
  readonly provider: Provider;
}

/**
 * Lets each type parse a URI. No request is sent.
 * @throws CommandError with this exit code
 */
export function readUri(uri: string, providers: readonly Provider[], code: number): Imported {
  let why: string | undefined;
  for (const provider of providers) {
    const found = provider.entry.importUri?.(uri);
    if (typeof found === 'string') why ??= found;
    else if (found !== undefined) return { ...found, provider };
  }
  throw new CommandError(code, `the address cannot be used: ${why ?? 'no provider type has such an address'}`);
}

/** `gateway providers import-uri URI`: prints the entry for a URI. Returns the exit code. */
export async function importUri(uri: string, flags: ImportFlags, io: CliIo, registry: Registry): Promise<number> {
  const found = readUri(uri, registry.providers, exitCodes.no);
  const slug = flags.slug ?? found.slug;
  checkSlug(slug);
  const entry = { type: found.provider.type, ...found.entry, api_key: `\${env:${keyVariable(slug)}}` };
  if (flags.json === true) {
    const { kind, missing, provider } = found;
    io.stdout.write(jsonText({ slug, type: provider.type, kind, entry, missing }));
    return exitCodes.yes;
  }
  const below = withRemarks(yamlOf({ [slug]: ordered(entry) }, 2), found.missing);
  io.stdout.write(`providers:\n${below}\n`);
  io.stderr.write(`form of the address: ${found.kind}\n`);
  for (const { path, about, isNeeded } of found.missing)
    io.stderr.write(`${isNeeded ? 'missing' : 'optional'}: ${path.join('.')}: ${about}\n`);
  return exitCodes.yes;
}

/** Puts mappings last, so that the key is easy to find before a list of deployments. */
export function ordered(entry: JsonObject): JsonObject {
  const pairs = Object.entries(entry);
  return Object.fromEntries([...pairs.filter(([, value]) => !isJsonObject(value)), ...pairs.filter(([, value]) => isJsonObject(value))]);
}

/** Adds comment lines for values that the URI does not contain. The deepest come first, since mappings are last. */
function withRemarks(yaml: string, missing: readonly MissingPart[]): string {
  const lines = yaml.split('\n');
  for (const { path, about, isNeeded } of missing.toSorted((a, b) => b.path.length - a.path.length)) {
    const depth = path.length - 1;
    const line = `${' '.repeat(4 + 2 * depth)}# ${path.at(-1)}: ${isNeeded ? '… ' : ''}(${about})`;
    lines.push(line);
  }
  return lines.join('\n');
}
