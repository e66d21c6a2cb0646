import { keyVariable, yamlOf } from '../../config/edit/new-entry.ts';
import { isPlain, type Plain } from '../../core/json/merge.ts';
import type { ImportedUri, MissingPart, Provider } from '../../core/provider.ts';
import type { Registry } from '../../gateway/types.ts';
import type { CliIo } from '../io.ts';
import { exitCodes } from './catalog.ts';
import { slugProblem } from './draft.ts';

export interface ImportFlags {
  readonly slug?: string | undefined;
  readonly json?: boolean | undefined;
}

/** What a type made of an address. */
export interface Imported extends ImportedUri {
  readonly provider: Provider;
}

/** Asks each type what an address says; a text says why none can use it. The address is read, never called. */
export function readUri(uri: string, providers: readonly Provider[]): Imported | string {
  let why: string | undefined;
  for (const provider of providers) {
    const found = provider.importUri?.(uri);
    if (typeof found === 'string') why ??= found;
    else if (found !== undefined) return { ...found, provider };
  }
  return why ?? 'no provider type has such an address';
}

/** `gateway providers import-uri URI`: the entry that an address means, ready to paste. Returns the exit code. */
export function importUri(uri: string, flags: ImportFlags, io: CliIo, registry: Registry): number {
  const found = readUri(uri, registry.providers);
  if (typeof found === 'string') {
    io.stderr.write(`error: the address cannot be used: ${found}\n`);
    return exitCodes.no;
  }
  const slug = flags.slug ?? found.slug;
  const badSlug = slugProblem(slug);
  if (badSlug !== undefined) {
    io.stderr.write(`error: ${badSlug}\n`);
    return exitCodes.usage;
  }
  const entry = { type: found.provider.type, ...found.entry, api_key: `\${env:${keyVariable(slug)}}` };
  if (flags.json === true) {
    const { kind, missing, provider } = found;
    io.stdout.write(`${JSON.stringify({ slug, type: provider.type, kind, entry, missing }, null, 2)}\n`);
    return exitCodes.yes;
  }
  const below = withRemarks(yamlOf({ [slug]: ordered(entry) }, 2), found.missing);
  io.stdout.write(`providers:\n${below}\n`);
  io.stderr.write(`form of the address: ${found.kind}\n`);
  for (const { path, about, isNeeded } of found.missing)
    io.stderr.write(`${isNeeded ? 'missing' : 'optional'}: ${path.join('.')}: ${about}\n`);
  return exitCodes.yes;
}

/** Mappings last: the key is found without looking past a list of deployments. */
export function ordered(entry: Plain): Plain {
  const pairs = Object.entries(entry);
  return Object.fromEntries([...pairs.filter(([, value]) => !isPlain(value)), ...pairs.filter(([, value]) => isPlain(value))]);
}

/** What the address does not say, as lines to fill in: the deepest first, since mappings stand last. */
function withRemarks(yaml: string, missing: readonly MissingPart[]): string {
  const lines = yaml.split('\n');
  for (const { path, about, isNeeded } of missing.toSorted((a, b) => b.path.length - a.path.length)) {
    const depth = path.length - 1;
    const line = `${' '.repeat(4 + 2 * depth)}# ${path.at(-1)}: ${isNeeded ? '… ' : ''}(${about})`;
    lines.push(line);
  }
  return lines.join('\n');
}
