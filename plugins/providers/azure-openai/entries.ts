import { type AzureDeployment, AzureEntries, type AzureType } from '../_azure/entries.ts';
import type { AzureSettings } from './settings.ts';
import { parseTargetUri, type TargetUri } from './target-uri.ts';

/** The kind of URL, and the version in its query. */
export interface ApiVersion {
  readonly urls: 'v1' | 'dated';
  /** Value of `api-version`; undefined if not sent. */
  readonly version: string | undefined;
}

/** The address of one deployment. Its version is undefined if the configuration does not set it. */
export type Target = AzureDeployment<AzureSettings, TargetUri, ApiVersion | undefined>;

const v1: ApiVersion = { urls: 'v1', version: undefined };

/**
 * Returns the API version for a configured value and a base. Undefined if neither sets it: the client's own `api-version` is then
 * used. On a base that ends in `/v1`, a dated value is dropped, because services there reject it.
 */
export function apiVersionOf(version: string | undefined, onV1: boolean): ApiVersion | undefined {
  const requested = version?.trim() ?? '';
  const word = requested.toLowerCase();
  if (word === '') return onV1 ? v1 : undefined;
  if (word === 'v1' || word === 'latest') return v1;
  if (word === 'preview') return { urls: 'v1', version: 'preview' };
  return onV1 ? v1 : { urls: 'dated', version: requested };
}

/** Returns the API version for a client's own `api-version`; v1 if it has none. */
export const apiVersionFor = (requested: string | undefined): ApiVersion => apiVersionOf(requested, false) ?? v1;

export const azureOpenai: AzureType<AzureSettings, TargetUri, ApiVersion | undefined> = {
  parse: parseTargetUri,
  domain: 'openai.azure.com',
  written: ({ custom_host: host }) => host,
  named: ({ deployment }) => deployment,
  apiOf: (_settings, _row, uri, _own, version) => apiVersionOf(version, uri.v1),
  sharedApi([first, ...rest]) {
    const isShared = rest.every(({ api }) => api?.urls === first?.api?.urls && api?.version === first?.api?.version);
    return isShared ? first?.api : undefined;
  },
};

export const entries = new AzureEntries(azureOpenai);
