import { GatewayError } from '#core/error.ts';
import type { Deployment } from '#core/provider.ts';
import { unlisted, unusable } from '../_azure/choose.ts';
import { type Format, type FoundryUri, isAnthropicModel, parseFoundryUri } from './foundry-uri.ts';
import type { DeploymentSettings, FoundrySettings } from './settings.ts';

/** Where one deployment is and what it speaks: what `Call.deployment` holds for this provider. */
export interface Place {
  readonly uri: FoundryUri;
  readonly format: Format;
  /** `api-version` of the configuration; undefined where it leaves the version open. */
  readonly version: string | undefined;
  /** Undefined on routes where no deployment is known. */
  readonly id: string | undefined;
  /** What it was made of: a request that chooses another host comes with other settings, and is placed anew. */
  readonly settings: FoundrySettings;
  readonly name: string;
}

/** What an entry's settings mean, worked out once. */
export interface Places {
  readonly aliases: ReadonlyMap<string, Deployment>;
  /** For model names that are no alias. */
  readonly other: Deployment | undefined;
  /** Names that `/models` lists. */
  readonly listed: readonly string[];
  /** The entry's own address, or why there is none. */
  readonly base: FoundryUri | GatewayError;
}

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** The address of an entry without deployments of their own; a text says what is wrong, undefined that nothing is given. */
export function entryUri(settings: FoundrySettings): FoundryUri | string | undefined {
  const written = settings.custom_host ?? settings.foundry_url;
  if (written !== undefined) return parseFoundryUri(written);
  const name = settings.resource_name?.trim();
  if (name === undefined || name === '') return undefined;
  if (label.test(name)) return parseFoundryUri(`https://${name.toLowerCase()}.services.ai.azure.com`);
  if (!name.includes('.') && !name.includes('://')) return 'it is not a host label (letters, digits and hyphens)';
  const parsed = parseFoundryUri(name);
  if (typeof parsed === 'string') return parsed;
  // A resource name must not choose a host of somebody else: that is what foundry_url and custom_host are for.
  if (parsed.resource === undefined || !parsed.origin.startsWith('https:') || new URL(parsed.origin).port !== '')
    return 'it is a URL of another host; use custom_host';
  return parsed;
}

/** Reads an entry's settings. What cannot be used shows when a request needs it; `check` has told before. */
export function placesOf(settings: FoundrySettings): Places {
  const found = entryUri(settings);
  const base = found === undefined || typeof found === 'string' ? unusable(found) : found;
  const aliases = new Map<string, Deployment>();
  let other =
    settings.deployment_id === undefined || base instanceof GatewayError ? undefined : direct(settings, base, settings.deployment_id);
  for (const [alias, row] of Object.entries(settings.deployments ?? {})) {
    const deployment = rowOf(settings, alias, row, base);
    if (deployment === undefined) continue;
    aliases.set(alias, deployment);
    if (row.default === true) other ??= deployment;
  }
  return { aliases, other, listed: [...aliases.keys()], base };
}

/** The address of a row: its own, else the entry's; undefined where neither can be used. */
export function rowUri(row: DeploymentSettings, entry: FoundryUri | GatewayError): FoundryUri | undefined {
  const own = row.target_uri === undefined ? undefined : parseFoundryUri(row.target_uri);
  if (typeof own === 'string') return undefined;
  return own ?? (entry instanceof GatewayError ? undefined : entry);
}

/** Hosts with a single model need no name of it. */
export const isSingle = ({ host }: FoundryUri): boolean => host === 'serverless' || host === 'compute';

function rowOf(
  settings: FoundrySettings,
  alias: string,
  row: DeploymentSettings,
  entry: FoundryUri | GatewayError,
): Deployment | undefined {
  const uri = rowUri(row, entry);
  if (uri === undefined || (row.deployment_id === undefined && !isSingle(uri))) return undefined;
  const version = row.api_version ?? (row.target_uri === undefined ? undefined : uri.apiVersion) ?? settings.api_version ?? uri.apiVersion;
  const place: Place = { uri, format: formatOf(settings, row, uri), version, id: row.deployment_id, settings, name: alias };
  return {
    settings: place,
    model: row.deployment_id ?? alias,
    signing: signingOf(settings, place),
    ...(row.foundation_model === undefined ? {} : { foundationModel: row.foundation_model }),
    ...(row.api_key === undefined ? {} : { apiKey: row.api_key }),
  };
}

/**
 * What a deployment speaks: its own word, the path of its own address, the family of its model; else what the entry
 * says, by its word or its path. Never guessed from other parts of an address.
 */
export function formatOf(settings: FoundrySettings, row: DeploymentSettings, uri: FoundryUri): Format {
  const own = row.format ?? (row.target_uri === undefined ? undefined : uri.format);
  if (own !== undefined) return own;
  if (row.foundation_model !== undefined && isAnthropicModel(row.foundation_model)) return 'messages';
  return settings.format ?? uri.format ?? 'inference';
}

/** A deployment that is not in the catalog: named by the entry, a header, or the model itself. */
function direct(settings: FoundrySettings, uri: FoundryUri, id: string | undefined): Deployment {
  const { model_name: foundationModel } = settings;
  const format = formatOf({ ...settings }, foundationModel === undefined ? {} : { foundation_model: foundationModel }, uri);
  const place: Place = { uri, format, version: settings.api_version ?? uri.apiVersion, id, settings, name: id ?? '' };
  return {
    settings: place,
    model: id ?? '',
    signing: signingOf(settings, place),
    ...(foundationModel === undefined ? {} : { foundationModel }),
  };
}

/** How requests to it are signed with a key: each format reads other headers. */
const signingOf = (settings: FoundrySettings, { format }: Place): string => (settings.key_as === 'bearer' ? 'bearer' : format);

/** The deployment for a model name: alias, else the default one, else (without a list) the name itself. */
export function choose(places: Places, settings: FoundrySettings, model: string): Deployment | GatewayError {
  const hit = places.aliases.get(model) ?? places.other;
  if (hit !== undefined) return hit;
  return unlisted(places, model, (name) => direct(settings, places.base as FoundryUri, name));
}
