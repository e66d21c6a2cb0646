import { GatewayError } from '#core/error.ts';
import type { Call, CredentialSpec, Deployment, ListedModel } from '#core/provider.ts';
import { memoize } from '../_shared/address.ts';
import { azureAuthModes } from './auth-modes.ts';
import { azureCredential } from './credential.ts';
import { azureProbes } from './probes.ts';
import type { AzureEntrySettings, DeploymentRow } from './settings.ts';

/** A parsed address from the configuration: the part that all Azure provider types use. */
export interface AzureUri {
  readonly origin: string;
  /** Path before the routes, encoded, without a trailing slash. */
  readonly path: string;
  /** First label of an Azure host; undefined for other hosts. */
  readonly resource: string | undefined;
  readonly apiVersion: string | undefined;
}

/** The rules of one Azure provider type for its addresses. */
export interface AzureType<Settings extends AzureEntrySettings, Uri extends AzureUri, Api> {
  /** Parses an address; returns the reason as text if it cannot be used. */
  readonly parse: (pasted: string) => Uri | string;
  /** Domain that follows the resource name. */
  readonly domain: string;
  /** Returns the complete address from the provider's settings, if set. */
  readonly configuredAddress: (settings: Settings) => string | undefined;
  /** Returns the API of a deployment. `row`: empty for an unlisted deployment; `isRowAddress`: true if the address is the row's. */
  readonly apiOf: (settings: Settings, row: DeploymentRow<Settings>, uri: Uri, isRowAddress: boolean, version: string | undefined) => Api;
  /** Returns the API of an unlisted deployment, if the provider's settings don't determine it. */
  readonly sharedApi?: (listed: readonly AzureDeployment<Settings, Uri, Api>[]) => Api;
  /** Returns the deployment named in an address. */
  readonly deploymentIn?: (uri: Uri) => string | undefined;
  /** True for an address of a single model, which needs no model name. */
  readonly isSingleModel?: (uri: Uri) => boolean;
  /** Returns the value for `credential`, if deployments are signed in different ways. */
  readonly signing?: (settings: Settings, api: Api) => string;
}

/** The address and API of one deployment: the type of `Call.deployment` for these providers. */
export interface AzureDeployment<Settings, Uri, Api> {
  readonly uri: Uri;
  readonly api: Api;
  /** `api-version` of the configuration; undefined if not set. */
  readonly version: string | undefined;
  /** Undefined on routes without a deployment. */
  readonly id: string | undefined;
  /** True if selected by an alias of the catalog. The name in the body is then the gateway's and must be removed. */
  readonly isListed: boolean;
  /** The settings that this was created from. A request that chooses another host has other settings and repeats the lookup. */
  readonly settings: Settings;
  readonly name: string;
}

/** The evaluated settings of a provider, computed once. */
interface Entry<Uri> {
  readonly aliases: ReadonlyMap<string, Deployment>;
  /** For model names that are not an alias. */
  readonly fallback: Deployment | undefined;
  /** The provider's own address, or the reason why there is none. */
  readonly base: Uri | GatewayError;
}

const labelPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** Returns the address of a provider; a text with the reason if it is invalid; undefined if not set. */
export function entryUri<Settings extends AzureEntrySettings, Uri extends AzureUri, Api>(
  { parse, domain, configuredAddress }: AzureType<Settings, Uri, Api>,
  settings: Settings,
): Uri | string | undefined {
  const address = configuredAddress(settings);
  if (address !== undefined) return parse(address);
  const name = settings.resource_name?.trim();
  if (name === undefined || name === '') return undefined;
  if (labelPattern.test(name)) return parse(`https://${name.toLowerCase()}.${domain}`);
  if (!name.includes('.') && !name.includes('://')) return 'it is not a host label (letters, digits and hyphens)';
  const parsed = parse(name);
  if (typeof parsed === 'string') return parsed;
  // A resource name must not choose a foreign host. custom_host, with its own rules, is the setting for that.
  if (parsed.resource === undefined || !parsed.origin.startsWith('https:') || new URL(parsed.origin).port !== '')
    return 'it is a URL of another host; use custom_host';
  return parsed;
}

/** Providers of one Azure type: their deployments, addresses and credentials. */
export class AzureEntries<Settings extends AzureEntrySettings, Uri extends AzureUri, Api> {
  readonly #type: AzureType<Settings, Uri, Api>;
  /** Computed once per settings object, so that requests don't parse addresses. */
  readonly #entry: (settings: Settings) => Entry<Uri>;

  constructor(type: AzureType<Settings, Uri, Api>) {
    this.#type = type;
    this.#entry = memoize((settings) => this.#evaluate(settings));
  }

  aliases(settings: Settings): ReadonlyMap<string, Deployment> {
    return this.#entry(settings).aliases;
  }

  /**
   * Returns the deployment for a model name: the alias, else the default, else (without a list) the name itself. Routes without a
   * model use the default, the only deployment, or the provider's address without a deployment.
   */
  deployment(settings: Settings, model: string): Deployment | GatewayError {
    const { aliases, fallback: other, base } = this.#entry(settings);
    const match = aliases.get(model) ?? other;
    if (match !== undefined) return match;
    const [only, ...more] = aliases.values();
    if (model === '' && only !== undefined && (more.length === 0 || base instanceof GatewayError)) return only;
    if (model !== '' && only !== undefined) return notFound(model, [...aliases.keys()]);
    if (base instanceof GatewayError) return base;
    const listed = [...aliases.values()].map((one) => this.#azureDeploymentOf(one));
    return this.#unlistedDeployment(settings, base, model === '' ? undefined : model, this.#type.sharedApi?.(listed));
  }

  /** Returns the deployment from the lookup; repeats the lookup if the request set its own host. @throws GatewayError */
  target(call: Pick<Call<Settings>, 'settings' | 'deployment' | 'model'>): AzureDeployment<Settings, Uri, Api> {
    const resolved = call.deployment as AzureDeployment<Settings, Uri, Api> | undefined;
    if (resolved?.settings === call.settings) return resolved;
    const deployment = this.deployment(call.settings, resolved?.name ?? call.model);
    if (deployment instanceof Error) throw deployment;
    return this.#azureDeploymentOf(deployment);
  }

  /** Signed for the address of the provider, otherwise that of its first deployment: the address determines the cloud that issues tokens. */
  credential(settings: Settings, key: string | undefined, byKey: (key: string) => CredentialSpec): CredentialSpec {
    const { base, aliases } = this.#entry(settings);
    const [first] = aliases.values();
    const uri = base instanceof Error ? first && this.#azureDeploymentOf(first).uri : base;
    return azureCredential(settings, key, uri === undefined ? {} : { origin: uri.origin, path: `${uri.path}/` }, byKey);
  }

  /** Provider members that all types share. */
  get provider() {
    const baseOf = (one: Deployment): string => this.#azureDeploymentOf(one).uri.origin + this.#azureDeploymentOf(one).uri.path;
    return {
      apiKey: 'required',
      authModes: azureAuthModes,
      deployment: (settings: Settings, model: string) => this.deployment(settings, model),
      models: (settings: Settings): readonly ListedModel[] =>
        [...this.aliases(settings)].map(([id, { foundationModel }]) => (foundationModel === undefined ? { id } : { id, foundationModel })),
      probe: (settings: Settings, deep: boolean) => azureProbes(this.aliases(settings), baseOf, deep),
    } as const;
  }

  #azureDeploymentOf({ settings }: Deployment): AzureDeployment<Settings, Uri, Api> {
    return settings as AzureDeployment<Settings, Uri, Api>;
  }

  /** Unusable settings cause an error only when a request needs them. `check` reports them earlier. */
  #evaluate(settings: Settings): Entry<Uri> {
    const found = entryUri(this.#type, settings);
    const base = found === undefined || typeof found === 'string' ? unusable(found) : found;
    const aliases = new Map<string, Deployment>();
    const { deployment_id: id } = settings;
    let fallback = id === undefined || base instanceof GatewayError ? undefined : this.#unlistedDeployment(settings, base, id);
    for (const [alias, row] of Object.entries(settings.deployments ?? {})) {
      const deployment = this.#listedDeployment(settings, alias, row as DeploymentRow<Settings>, base);
      if (deployment === undefined) continue;
      aliases.set(alias, deployment);
      if (row.default === true) fallback ??= deployment;
    }
    return { aliases, fallback, base };
  }

  /** Returns a listed deployment; undefined if its address cannot be used or it has no id. */
  #listedDeployment(settings: Settings, alias: string, row: DeploymentRow<Settings>, base: Uri | GatewayError): Deployment | undefined {
    const { parse, deploymentIn, isSingleModel, apiOf } = this.#type;
    const rowUri = row.target_uri === undefined ? undefined : parse(row.target_uri);
    if (typeof rowUri === 'string') return undefined;
    const uri = rowUri ?? (base instanceof GatewayError ? undefined : base);
    const id = row.deployment_id ?? (rowUri === undefined ? undefined : deploymentIn?.(rowUri));
    if (uri === undefined || (id === undefined && isSingleModel?.(uri) !== true)) return undefined;
    const version = row.api_version ?? rowUri?.apiVersion ?? settings.api_version ?? uri.apiVersion;
    const api = apiOf(settings, row, uri, rowUri !== undefined, version);
    return this.#deploymentOf({ uri, api, version, id, isListed: true, settings, name: alias }, row);
  }

  /** Returns an unlisted deployment, named by the settings, a header, or the model itself. */
  #unlistedDeployment(settings: Settings, uri: Uri, id: string | undefined, shared?: Api): Deployment {
    const { model_name: model } = settings;
    const row = (model === undefined ? {} : { foundation_model: model }) as DeploymentRow<Settings>;
    const version = settings.api_version ?? uri.apiVersion;
    const api = this.#type.apiOf(settings, row, uri, false, version) ?? (shared as Api);
    return this.#deploymentOf({ uri, api, version, id, isListed: false, settings, name: id ?? '' }, row);
  }

  #deploymentOf(target: AzureDeployment<Settings, Uri, Api>, row: DeploymentRow<Settings>): Deployment {
    const { signing } = this.#type;
    return {
      settings: target,
      model: target.id ?? target.name,
      ...(signing === undefined ? {} : { signing: signing(target.settings, target.api) }),
      ...(row.foundation_model === undefined ? {} : { foundationModel: row.foundation_model }),
      ...(row.api_key === undefined ? {} : { apiKey: row.api_key }),
    };
  }
}

function notFound(model: string, aliases: readonly string[]): GatewayError {
  return new GatewayError('model_not_found', {
    message: `No deployment is called "${model}".`,
    param: 'model',
    known: { requested: model, noun: 'Deployments', names: aliases },
  });
}

/** Error for settings, or a request, with a missing or unusable address. */
function unusable(reason: string | undefined): GatewayError {
  const message = reason === undefined ? 'The request names no Azure resource.' : `The resource or custom host cannot be used: ${reason}.`;
  const hint = 'Set resource_name, or x-gateway-azure-resource-name, to the first label of the host.';
  return new GatewayError('invalid_config', { message, param: 'resource_name', hint });
}
