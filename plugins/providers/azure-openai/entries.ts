import { type AzureDeployment, AzureEntries, type AzureType } from '../_azure/entries.ts';
import type { AzureSettings } from './settings.ts';
import { parseTargetUri, type TargetUri } from './target-uri.ts';

/** The kind of URL, and the version in its query. */
export interface ApiVersion {
  readonly urlStyle: 'v1' | 'dated';
  /** Value of `api-version`; undefined if not sent. */
  readonly version: string | undefined;
}

/** The address of one deployment. Its version is undefined if the configuration does not set it. */
export type AzureOpenAiTarget = AzureDeployment<AzureSettings, TargetUri, ApiVersion | undefined>;

const v1: ApiVersion = { urlStyle: 'v1', version: undefined };

/**
 * Returns the API version for a configured value and a base. Undefined if neither sets it: the client's own `api-version` is then
 * used. On a base that ends in `/v1`, a dated value is dropped, because services there reject it.
 */
export function apiVersionOf(version: string | undefined, isV1Base: boolean): ApiVersion | undefined {
  const requested = version?.trim() ?? '';
  const keyword = requested.toLowerCase();
  if (keyword === '') return isV1Base ? v1 : undefined;
  if (keyword === 'v1' || keyword === 'latest') return v1;
  if (keyword === 'preview') return { urlStyle: 'v1', version: 'preview' };
  return isV1Base ? v1 : { urlStyle: 'dated', version: requested };
}

/** Returns the API version for a client's own `api-version`; v1 if it has none. */
export const apiVersionFor = (requested: string | undefined): ApiVersion => apiVersionOf(requested, false) ?? v1;

export const azureOpenai: AzureType<AzureSettings, TargetUri, ApiVersion | undefined> = {
  parse: parseTargetUri,
  domain: 'openai.azure.com',
  configuredAddress: ({ custom_host: host }) => host,
  deploymentIn: ({ deployment }) => deployment,
  apiOf: (_settings, _row, uri, _own, version) => apiVersionOf(version, uri.isV1),
  sharedApi([first, ...rest]) {
    const isShared = rest.every(({ api }) => api?.urlStyle === first?.api?.urlStyle && api?.version === first?.api?.version);
    return isShared ? first?.api : undefined;
  },
};

export const entries = new AzureEntries(azureOpenai);
