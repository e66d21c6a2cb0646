import { type AzureDeployment, AzureEntries, type AzureType } from '../_azure/entries.ts';
import type { AzureSettings } from './settings.ts';
import { parseTargetUri, type TargetUri } from './target-uri.ts';

/** Which of the two kinds of URL is used, and what is in its query. */
export interface ApiVersion {
  readonly urls: 'v1' | 'dated';
  /** Value of `api-version`; undefined where none is sent. */
  readonly version: string | undefined;
}

/** Where one deployment is. Its version is undefined where the configuration leaves it open. */
export type Target = AzureDeployment<AzureSettings, TargetUri, ApiVersion | undefined>;

const v1: ApiVersion = { urls: 'v1', version: undefined };

/**
 * What a configured version means on a base. Undefined where neither says anything: then the client's own
 * `api-version` decides. On a base that ends in `/v1` a dated value is dropped, because services there refuse it.
 */
export function apiVersionOf(version: string | undefined, onV1: boolean): ApiVersion | undefined {
  const asked = version?.trim() ?? '';
  const word = asked.toLowerCase();
  if (word === '') return onV1 ? v1 : undefined;
  if (word === 'v1' || word === 'latest') return v1;
  if (word === 'preview') return { urls: 'v1', version: 'preview' };
  return onV1 ? v1 : { urls: 'dated', version: asked };
}

/** What a client's own `api-version` asks for; v1 where it says nothing. */
export const apiVersionFor = (asked: string | undefined): ApiVersion => apiVersionOf(asked, false) ?? v1;

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
