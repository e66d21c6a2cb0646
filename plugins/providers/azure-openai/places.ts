import { GatewayError } from '#core/error.ts';
import type { Deployment } from '#core/provider.ts';
import type { Base } from '../_shared/address.ts';
import { unlisted, unusable } from '../_azure/choose.ts';
import type { AzureSettings } from './settings.ts';
import { parseTargetUri } from '../_azure/target-uri.ts';
import { type Form, formOf } from '../_azure/version.ts';

/** Where one deployment is: what `Call.deployment` holds for this provider. */
export interface Place {
  readonly base: Base;
  /** Undefined where the configuration leaves the version open. */
  readonly form: Form | undefined;
  /** Undefined on routes where no deployment is known. */
  readonly id: string | undefined;
  /** Reached by an alias of the catalog: the name in the body is ours and has to go. */
  readonly alias: boolean;
  /** What it was made of: a request that chooses another host comes with other settings, and is placed anew. */
  readonly settings: AzureSettings;
  readonly name: string;
}

/** What an entry's settings mean, worked out once. */
export interface Places {
  readonly aliases: ReadonlyMap<string, Deployment>;
  /** For model names that are no alias. */
  readonly other: Deployment | undefined;
  /** Names that `/models` lists. */
  readonly listed: readonly string[];
  /** The entry's own base, or why there is none. */
  readonly base: EntryBase | GatewayError;
  /** The entry's own version, else the one that all its deployments share. */
  readonly form: Form | undefined;
}

export interface EntryBase extends Base {
  readonly v1: boolean;
  /** Version in a pasted custom host. */
  readonly version: string | undefined;
}

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** The base of an entry without deployments of their own; a text says what is wrong, undefined that nothing is given. */
export function entryBase(settings: AzureSettings): EntryBase | string | undefined {
  if (settings.custom_host !== undefined) return pasted(settings.custom_host);
  const name = settings.resource_name?.trim();
  if (name === undefined || name === '') return undefined;
  if (label.test(name)) return { origin: `https://${name.toLowerCase()}.openai.azure.com`, path: '/openai', v1: false, version: undefined };
  if (!name.includes('.') && !name.includes('://')) return 'it is not a host label (letters, digits and hyphens)';
  const parsed = parseTargetUri(name);
  if (typeof parsed === 'string') return parsed;
  // A resource name must not choose a host of somebody else: that is what custom_host, with its own rules, is for.
  if (parsed.resource === undefined || !parsed.origin.startsWith('https:') || new URL(parsed.origin).port !== '')
    return 'it is a URL of another host; use custom_host';
  return { origin: parsed.origin, path: parsed.path, v1: parsed.v1, version: parsed.apiVersion };
}

function pasted(customHost: string): EntryBase | string {
  const parsed = parseTargetUri(customHost);
  return typeof parsed === 'string' ? parsed : { origin: parsed.origin, path: parsed.path, v1: parsed.v1, version: parsed.apiVersion };
}

/** Reads an entry's settings. What cannot be used shows when a request needs it; `check` has told before. */
export function placesOf(settings: AzureSettings): Places {
  const found = entryBase(settings);
  const base = found === undefined || typeof found === 'string' ? unusable(found) : found;
  const aliases = new Map<string, Deployment>();
  const entryForm = base instanceof GatewayError ? undefined : formOf(settings.api_version ?? base.version, base.v1);
  let other =
    settings.deployment_id === undefined || base instanceof GatewayError
      ? undefined
      : direct(settings, base, entryForm, settings.deployment_id);
  for (const [alias, row] of Object.entries(settings.deployments ?? {})) {
    const deployment = deploymentOf(settings, alias, base);
    if (deployment === undefined) continue;
    aliases.set(alias, deployment);
    if (row.default === true) other ??= deployment;
  }
  return { aliases, other, listed: [...aliases.keys()], base, form: entryForm ?? sharedForm(aliases.values()) };
}

function deploymentOf(settings: AzureSettings, alias: string, entry: EntryBase | GatewayError): Deployment | undefined {
  const row = settings.deployments?.[alias] ?? {};
  const uri = row.target_uri === undefined ? undefined : parseTargetUri(row.target_uri);
  if (typeof uri === 'string') return undefined;
  const base = uri ?? (entry instanceof GatewayError ? undefined : entry);
  const id = row.deployment_id ?? uri?.deployment;
  if (base === undefined || id === undefined) return undefined;
  const version =
    row.api_version ??
    uri?.apiVersion ??
    settings.api_version ??
    (uri === undefined && !(entry instanceof GatewayError) ? entry.version : undefined);
  const place: Place = {
    base: { origin: base.origin, path: base.path },
    form: formOf(version, base.v1),
    id,
    alias: true,
    settings,
    name: alias,
  };
  return {
    settings: place,
    model: id,
    ...(row.foundation_model === undefined ? {} : { foundationModel: row.foundation_model }),
    ...(row.api_key === undefined ? {} : { apiKey: row.api_key }),
  };
}

function sharedForm(deployments: Iterable<Deployment>): Form | undefined {
  const [first, ...rest] = [...deployments].map(({ settings }) => (settings as Place).form);
  return rest.every((form) => form?.form === first?.form && form?.version === first?.version) ? first : undefined;
}

/** A deployment that is not in the catalog: named by the entry, a header, or the model itself. */
function direct(settings: AzureSettings, base: EntryBase, form: Form | undefined, id: string | undefined): Deployment {
  const place: Place = { base: { origin: base.origin, path: base.path }, form, id, alias: false, settings, name: id ?? '' };
  return { settings: place, model: id ?? '', ...(settings.model_name === undefined ? {} : { foundationModel: settings.model_name }) };
}

/**
 * The deployment for a model name: alias, else the default one, else (without a list) the name itself. For routes
 * without a model: the default, the only one, or a place without deployment.
 */
export function choose(places: Places, settings: AzureSettings, model: string): Deployment | GatewayError {
  const hit = places.aliases.get(model) ?? places.other;
  if (hit !== undefined) return hit;
  return unlisted(places, model, (name) => direct(settings, places.base as EntryBase, places.form, name));
}
