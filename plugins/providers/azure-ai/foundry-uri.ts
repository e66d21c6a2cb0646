import { parseBase } from '../_shared/address.ts';
import type { AzureUri } from '../_azure/entries.ts';

/** Format of a deployment: the Azure inference route, the OpenAI format, or Anthropic's messages. */
export type FoundryFormat = 'inference' | 'openai' | 'messages';

export const foundryFormats: readonly FoundryFormat[] = ['inference', 'openai', 'messages'];

/** A parsed address from the configuration. */
export interface FoundryUri extends AzureUri {
  /** Path before the format's own segment. */
  readonly path: string;
  /** `serverless` and `compute` have one model at the root; all others have a segment for each format. */
  readonly host: 'resource' | 'serverless' | 'compute' | 'other';
  /** Format in the path; undefined if the path has none. */
  readonly format: FoundryFormat | undefined;
}

const resourceHost = /^([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)\.(?:services\.ai|openai|cognitiveservices)\.azure\.(?:com|us|cn)$/;
const serverlessHost = /^([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)\.[a-z0-9-]+\.models\.ai\.azure\.(?:com|us|cn)$/;
const computeHost = /^([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)\.[a-z0-9-]+\.inference\.ml\.azure\.(?:com|us|cn)$/;

/** Path segments that start a format. Only the path determines the format, because host names contain the same words. */
const formatSegments: Readonly<Record<string, FoundryFormat>> = { models: 'inference', openai: 'openai', anthropic: 'messages' };

/** Path endings that name an operation, which a portal shows after the base. */
const operationPath = /\/(?:chat\/completions|completions|images\/embeddings|embeddings|info|score)$/;

/** Parses a target URI, a Foundry URL or a custom host; returns the reason as text if it cannot be used. */
export function parseFoundryUri(text: string): FoundryUri | string {
  const trimmed = text.trim();
  const parsed = parseBase(trimmed.includes('://') ? trimmed : `https://${trimmed}`);
  if (typeof parsed === 'string') return parsed;
  const { url, origin, path } = parsed;
  const { host, resource } = hostOf(url.hostname);
  const common = { origin, resource, host, apiVersion: versionIn(url) };
  if (host === 'serverless' || host === 'compute')
    return { ...common, path: path.replace(operationPath, '').replace(/\/$/, ''), format: 'inference' };
  const parts = path.split('/').slice(1);
  const at = parts.findIndex((part) => Object.hasOwn(formatSegments, part));
  const segment = parts[at];
  if (segment === undefined) return { ...common, path: path.replace(operationPath, ''), format: undefined };
  if (segment === 'openai' && parts[at + 1] === 'deployments') return 'it is a dated deployment, which type azure-openai serves';
  return {
    ...common,
    path: parts
      .slice(0, at)
      .map((part) => `/${part}`)
      .join(''),
    format: formatSegments[segment],
  };
}

function hostOf(name: string): Pick<FoundryUri, 'host' | 'resource'> {
  const resource = resourceHost.exec(name)?.[1];
  if (resource !== undefined) return { host: 'resource', resource };
  const single = serverlessHost.exec(name)?.[1];
  if (single !== undefined) return { host: 'serverless', resource: single };
  const endpoint = computeHost.exec(name)?.[1];
  return endpoint === undefined ? { host: 'other', resource: undefined } : { host: 'compute', resource: endpoint };
}

function versionIn(url: URL): string | undefined {
  for (const [key, value] of url.searchParams) if (key.toLowerCase() === 'api-version' && value !== '') return value;
  return undefined;
}

/** True for a host of a single model, which needs no model name. */
export const isSingleModelHost = ({ host }: FoundryUri): boolean => host === 'serverless' || host === 'compute';

/** Removes the project from a path, which only the OpenAI format has: `/api/projects/p1`. */
export const withoutProject = (path: string): string => path.replace(/\/api\/projects\/[^/]+$/, '');

/** True for `claude-…`, `anthropic/…` and similar names: models with the messages format. */
export const isAnthropicModel = (foundationModel: string): boolean =>
  /^(?:(?:anthropic|vendor-?a)[./:-])?claude(?:$|[-_ .@\d])|^(?:anthropic|vendor-?a)[./:]/i.test(foundationModel);
