import { GatewayError } from '#core/error.ts';
import type { Call, CredentialSpec, Deployment, ListedModel } from '#core/provider.ts';
import { memo } from '../_shared/address.ts';
import { azureAuthModes } from './auth-modes.ts';
import { azureCredential } from './credential.ts';
import { azureProbes } from './probes.ts';
import type { AzureEntrySettings, DeploymentRow } from './settings.ts';

/** An address that an operator pasted, as far as every type of the cloud reads it. */
export interface AzureUri {
  readonly origin: string;
  /** Path in front of the routes, encoded, without a slash at its end. */
  readonly path: string;
  /** First label of a host of the cloud; undefined for hosts of others. */
  readonly resource: string | undefined;
  readonly apiVersion: string | undefined;
}

/** What one type of the cloud knows about its addresses. */
export interface AzureType<Settings extends AzureEntrySettings, Uri extends AzureUri, Api> {
  /** Reads an address; a text says why it cannot be used. */
  readonly parse: (pasted: string) => Uri | string;
  /** Behind the name of a resource. */
  readonly domain: string;
  /** The whole address of an entry, where it is written. */
  readonly written: (settings: Settings) => string | undefined;
  /** Which API a deployment has. `row`: empty for a deployment that is in no list; `own`: the address is the row's. */
  readonly apiOf: (settings: Settings, row: DeploymentRow<Settings>, uri: Uri, own: boolean, version: string | undefined) => Api;
  /** The API of a deployment that is in no list, where the entry leaves it open. */
  readonly sharedApi?: (listed: readonly AzureDeployment<Settings, Uri, Api>[]) => Api;
  /** The deployment that an address names. */
  readonly named?: (uri: Uri) => string | undefined;
  /** Addresses with a single model need no name of it. */
  readonly isSingle?: (uri: Uri) => boolean;
  /** The word for `credential`, where deployments are signed for in different ways. */
  readonly signing?: (settings: Settings, api: Api) => string;
}

/** Where one deployment is, and how it is called: what `Call.deployment` holds for these providers. */
export interface AzureDeployment<Settings, Uri, Api> {
  readonly uri: Uri;
  readonly api: Api;
  /** `api-version` of the configuration; undefined where it leaves the version open. */
  readonly version: string | undefined;
  /** Undefined on routes where no deployment is known. */
  readonly id: string | undefined;
  /** Reached by an alias of the catalog: the name in the body is ours and has to go. */
  readonly isListed: boolean;
  /** What it was made of: a request that chooses another host comes with other settings, and is looked up anew. */
  readonly settings: Settings;
  readonly name: string;
}

/** What an entry's settings mean, worked out once. */
interface Entry<Uri> {
  readonly aliases: ReadonlyMap<string, Deployment>;
  /** For model names that are no alias. */
  readonly other: Deployment | undefined;
  /** The entry's own address, or why there is none. */
  readonly base: Uri | GatewayError;
}

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** The address of an entry; a text says what is wrong, undefined that nothing is given. */
export function entryUri<Settings extends AzureEntrySettings, Uri extends AzureUri, Api>(
  { parse, domain, written }: AzureType<Settings, Uri, Api>,
  settings: Settings,
): Uri | string | undefined {
  const address = written(settings);
  if (address !== undefined) return parse(address);
  const name = settings.resource_name?.trim();
  if (name === undefined || name === '') return undefined;
  if (label.test(name)) return parse(`https://${name.toLowerCase()}.${domain}`);
  if (!name.includes('.') && !name.includes('://')) return 'it is not a host label (letters, digits and hyphens)';
  const parsed = parse(name);
  if (typeof parsed === 'string') return parsed;
  // A resource name must not choose a host of somebody else: custom_host, with its own rules, is for that.
  if (parsed.resource === undefined || !parsed.origin.startsWith('https:') || new URL(parsed.origin).port !== '')
    return 'it is a URL of another host; use custom_host';
  return parsed;
}

/** Entries of one type of the cloud: their deployments, where they are, and who they sign as. */
export class AzureEntries<Settings extends AzureEntrySettings, Uri extends AzureUri, Api> {
  readonly #type: AzureType<Settings, Uri, Api>;
  /** Worked out once for each settings object: a request parses no address. */
  readonly #entry: (settings: Settings) => Entry<Uri>;

  constructor(type: AzureType<Settings, Uri, Api>) {
    this.#type = type;
    this.#entry = memo((settings) => this.#read(settings));
  }

  aliases(settings: Settings): ReadonlyMap<string, Deployment> {
    return this.#entry(settings).aliases;
  }

  /**
   * The deployment for a model name: alias, else the default one, else (without a list) the name itself. Routes without a
   * model are served by the default, the only one, or the entry's address without a deployment.
   */
  deployment(settings: Settings, model: string): Deployment | GatewayError {
    const { aliases, other, base } = this.#entry(settings);
    const hit = aliases.get(model) ?? other;
    if (hit !== undefined) return hit;
    const [only, ...more] = aliases.values();
    if (model === '' && only !== undefined && (more.length === 0 || base instanceof GatewayError)) return only;
    if (model !== '' && only !== undefined) return notFound(model, [...aliases.keys()]);
    if (base instanceof GatewayError) return base;
    const listed = [...aliases.values()].map((one) => this.#known(one));
    return this.#direct(settings, base, model === '' ? undefined : model, this.#type.sharedApi?.(listed));
  }

  /** The deployment that was looked up; anew where the request came with a host of its own. @throws GatewayError */
  target(call: Pick<Call<Settings>, 'settings' | 'deployment' | 'model'>): AzureDeployment<Settings, Uri, Api> {
    const known = call.deployment as AzureDeployment<Settings, Uri, Api> | undefined;
    if (known?.settings === call.settings) return known;
    const chosen = this.deployment(call.settings, known?.name ?? call.model);
    if (chosen instanceof Error) throw chosen;
    return this.#known(chosen);
  }

  /** Signed for the address of the provider, otherwise that of its first deployment: the address determines the cloud that issues tokens. */
  credential(settings: Settings, key: string | undefined, byKey: (key: string) => CredentialSpec): CredentialSpec {
    const { base, aliases } = this.#entry(settings);
    const [first] = aliases.values();
    const uri = base instanceof Error ? first && this.#known(first).uri : base;
    return azureCredential(settings, key, uri === undefined ? {} : { origin: uri.origin, path: `${uri.path}/` }, byKey);
  }

  /** Members of the provider that all types share. */
  get provider() {
    const baseOf = (one: Deployment): string => this.#known(one).uri.origin + this.#known(one).uri.path;
    return {
      apiKey: 'required',
      authModes: azureAuthModes,
      deployment: (settings: Settings, model: string) => this.deployment(settings, model),
      models: (settings: Settings): readonly ListedModel[] =>
        [...this.aliases(settings)].map(([id, { foundationModel }]) => (foundationModel === undefined ? { id } : { id, foundationModel })),
      probe: (settings: Settings, deep: boolean) => azureProbes(this.aliases(settings), baseOf, deep),
    } as const;
  }

  #known({ settings }: Deployment): AzureDeployment<Settings, Uri, Api> {
    return settings as AzureDeployment<Settings, Uri, Api>;
  }

  /** What cannot be used shows when a request needs it; `check` has told before. */
  #read(settings: Settings): Entry<Uri> {
    const found = entryUri(this.#type, settings);
    const base = found === undefined || typeof found === 'string' ? unusable(found) : found;
    const aliases = new Map<string, Deployment>();
    const { deployment_id: id } = settings;
    let other = id === undefined || base instanceof GatewayError ? undefined : this.#direct(settings, base, id);
    for (const [alias, row] of Object.entries(settings.deployments ?? {})) {
      const deployment = this.#listed(settings, alias, row as DeploymentRow<Settings>, base);
      if (deployment === undefined) continue;
      aliases.set(alias, deployment);
      if (row.default === true) other ??= deployment;
    }
    return { aliases, other, base };
  }

  /** A deployment of the list; undefined where its address cannot be used or nothing names it. */
  #listed(settings: Settings, alias: string, row: DeploymentRow<Settings>, base: Uri | GatewayError): Deployment | undefined {
    const { parse, named, isSingle, apiOf } = this.#type;
    const own = row.target_uri === undefined ? undefined : parse(row.target_uri);
    if (typeof own === 'string') return undefined;
    const uri = own ?? (base instanceof GatewayError ? undefined : base);
    const id = row.deployment_id ?? (own === undefined ? undefined : named?.(own));
    if (uri === undefined || (id === undefined && isSingle?.(uri) !== true)) return undefined;
    const version = row.api_version ?? own?.apiVersion ?? settings.api_version ?? uri.apiVersion;
    const api = apiOf(settings, row, uri, own !== undefined, version);
    return this.#deploymentOf({ uri, api, version, id, isListed: true, settings, name: alias }, row);
  }

  /** A deployment that is in no list: named by the entry, a header, or the model itself. */
  #direct(settings: Settings, uri: Uri, id: string | undefined, shared?: Api): Deployment {
    const { model_name: model } = settings;
    const row = (model === undefined ? {} : { foundation_model: model }) as DeploymentRow<Settings>;
    const version = settings.api_version ?? uri.apiVersion;
    const api = this.#type.apiOf(settings, row, uri, false, version) ?? (shared as Api);
    return this.#deploymentOf({ uri, api, version, id, isListed: false, settings, name: id ?? '' }, row);
  }

  #deploymentOf(known: AzureDeployment<Settings, Uri, Api>, row: DeploymentRow<Settings>): Deployment {
    const { signing } = this.#type;
    return {
      settings: known,
      model: known.id ?? known.name,
      ...(signing === undefined ? {} : { signing: signing(known.settings, known.api) }),
      ...(row.foundation_model === undefined ? {} : { foundationModel: row.foundation_model }),
      ...(row.api_key === undefined ? {} : { apiKey: row.api_key }),
    };
  }
}

function notFound(model: string, aliases: readonly string[]): GatewayError {
  return new GatewayError('model_not_found', {
    message: `No deployment is called "${model}".`,
    param: 'model',
    known: { asked: model, noun: 'Deployments', names: aliases },
  });
}

/** An entry, or a request, that says too little or something unusable about where it goes. */
function unusable(why: string | undefined): GatewayError {
  const message = why === undefined ? 'The request names no Azure resource.' : `The resource or custom host cannot be used: ${why}.`;
  const hint = 'Set resource_name, or x-gateway-azure-resource-name, to the first label of the host.';
  return new GatewayError('invalid_config', { message, param: 'resource_name', hint });
}
