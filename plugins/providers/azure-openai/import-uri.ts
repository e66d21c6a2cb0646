import type { ImportedUri, MissingPart } from '#core/provider.ts';
import { parseTargetUri, type TargetUri } from './target-uri.ts';

/**
 * Converts a target URI to a provider. Parts missing in the address are listed, never guessed. Addresses of other services are
 * left to their types: this type accepts only Azure hosts, or a path with `/openai`.
 */
export function importUri(uri: string): ImportedUri | string | undefined {
  const parsed = parseTargetUri(uri);
  if (typeof parsed === 'string') return isAzureOpenAiUri(uri) ? parsed : undefined;
  if (parsed.resource === undefined && !/\/openai(?:\/|$)/.test(parsed.path)) return undefined;
  // A Foundry host without this segment may support several formats, so the type azure-ai handles it.
  if (isFoundryHost(parsed) && !/^[^?#]*\/openai(?:[/?#]|$)/i.test(uri.trim())) return undefined;
  const { apiVersion, deployment, isV1 } = parsed;
  const version = apiVersion ?? (isV1 ? 'v1' : undefined);
  const versionSetting = version === undefined ? {} : { api_version: version };
  const row = { deployment_id: deployment, ...versionSetting };
  const entry = { ...addressOf(parsed), ...(deployment === undefined ? versionSetting : { deployments: { [deployment]: row } }) };
  return { slug: slugOf(parsed), kind: kindOf(uri, parsed), entry, missing: missingIn(parsed, version) };
}

const isAzureOpenAiUri = (uri: string): boolean => /\/openai(?:[/?#]|$)|\.(?:openai|cognitiveservices)\.azure\.(?:com|us|cn)/i.test(uri);

const isFoundryHost = ({ origin }: TargetUri): boolean => /\.services\.ai\.azure\.(?:com|us|cn)$/.test(origin);

/** Uses the resource name for the standard host. Any other host, suffix or prefix is kept as custom host. */
function addressOf({ origin, path, resource }: TargetUri): Readonly<Record<string, string>> {
  const isStandard = resource !== undefined && origin === `https://${resource}.openai.azure.com` && path === '/openai';
  return { ...(resource === undefined ? {} : { resource_name: resource }), ...(isStandard ? {} : { custom_host: `${origin}${path}` }) };
}

function kindOf(uri: string, { isV1: v1, path, deployment }: TargetUri): string {
  const variant = /\/realtime(?:[/?]|$)/.test(uri) ? 'realtime' : path.includes('/api/projects/') ? 'project' : undefined;
  const kind = v1 ? 'v1' : deployment === undefined ? 'dated, without a deployment' : 'dated deployment';
  return variant === undefined ? kind : `${variant}, ${kind}`;
}

function missingIn({ resource, deployment, isV1 }: TargetUri, version: string | undefined): readonly MissingPart[] {
  const found: MissingPart[] = [];
  if (resource === undefined) {
    found.push({ path: ['resource_name'], about: 'the host is not a standard Azure host, so custom_host is set', isNeeded: false });
  }
  if (version === undefined)
    found.push({ path: ['api_version'], about: "the address has none; default: the client's, else v1", isNeeded: false });
  if (deployment === undefined) {
    const about = isV1
      ? 'the address names no deployment: add one with an alias, or let clients send its name as model'
      : 'the address names no deployment: add one with an alias';
    return [...found, { path: ['deployments'], about, isNeeded: !isV1 }];
  }
  return [
    ...found,
    { path: ['deployments', deployment, 'foundation_model'], about: 'the model behind it, for cost and metrics', isNeeded: false },
  ];
}

/** Returns the resource's name, or else the first label of the host. */
function slugOf({ origin, resource }: Pick<TargetUri, 'origin' | 'resource'>): string {
  const label = resource ?? new URL(origin).hostname.split('.')[0] ?? 'azure';
  return /^[a-z0-9]/.test(label) ? label : 'azure';
}
