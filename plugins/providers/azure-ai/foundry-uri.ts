import { parseBase } from '../_shared/address.ts';
import type { AzureUri } from '../_azure/entries.ts';

/** What a deployment speaks: the cloud's own inference route, the OpenAI format, or Anthropic's messages. */
export type Format = 'inference' | 'openai' | 'messages';

export const formats: readonly Format[] = ['inference', 'openai', 'messages'];

/** What an address that an operator pasted says. */
export interface FoundryUri extends AzureUri {
  /** Path in front of the format's own segment. */
  readonly path: string;
  /** `serverless` and `compute` serve one model at the root; all others have a segment for each format. */
  readonly host: 'resource' | 'serverless' | 'compute' | 'other';
  /** What the path says; undefined where it stops before. */
  readonly format: Format | undefined;
}

const resources = /^([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)\.(?:services\.ai|openai|cognitiveservices)\.azure\.(?:com|us|cn)$/;
const serverless = /^([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)\.[a-z0-9-]+\.models\.ai\.azure\.(?:com|us|cn)$/;
const compute = /^([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)\.[a-z0-9-]+\.inference\.ml\.azure\.(?:com|us|cn)$/;

/** The segment that begins a format. A word of the path and nothing else decides: host names hold the same words. */
const segments: Readonly<Record<string, Format>> = { models: 'inference', openai: 'openai', anthropic: 'messages' };

/** Ends of paths that name an operation: what a portal shows behind the base. */
const operations = /\/(?:chat\/completions|completions|images\/embeddings|embeddings|info|score)$/;

/** Reads a target URI, a foundry URL or a custom host; a text says why it cannot be used. */
export function parseFoundryUri(pasted: string): FoundryUri | string {
  const trimmed = pasted.trim();
  const parsed = parseBase(trimmed.includes('://') ? trimmed : `https://${trimmed}`);
  if (typeof parsed === 'string') return parsed;
  const { url, origin, path } = parsed;
  const { host, resource } = hostOf(url.hostname);
  const common = { origin, resource, host, apiVersion: versionIn(url) };
  if (host === 'serverless' || host === 'compute')
    return { ...common, path: path.replace(operations, '').replace(/\/$/, ''), format: 'inference' };
  const parts = path.split('/').slice(1);
  const at = parts.findIndex((part) => Object.hasOwn(segments, part));
  const word = parts[at];
  if (word === undefined) return { ...common, path: path.replace(operations, ''), format: undefined };
  if (word === 'openai' && parts[at + 1] === 'deployments') return 'it is a dated deployment, which type azure-openai serves';
  return {
    ...common,
    path: parts
      .slice(0, at)
      .map((part) => `/${part}`)
      .join(''),
    format: segments[word],
  };
}

function hostOf(name: string): Pick<FoundryUri, 'host' | 'resource'> {
  const resource = resources.exec(name)?.[1];
  if (resource !== undefined) return { host: 'resource', resource };
  const single = serverless.exec(name)?.[1];
  if (single !== undefined) return { host: 'serverless', resource: single };
  const machine = compute.exec(name)?.[1];
  return machine === undefined ? { host: 'other', resource: undefined } : { host: 'compute', resource: machine };
}

function versionIn(url: URL): string | undefined {
  for (const [key, value] of url.searchParams) if (key.toLowerCase() === 'api-version' && value !== '') return value;
  return undefined;
}

/** Hosts with a single model need no name of it. */
export const isSingle = ({ host }: FoundryUri): boolean => host === 'serverless' || host === 'compute';

/** The part of a path that stands for a project, which only the OpenAI format has: `/api/projects/p1`. */
export const withoutProject = (path: string): string => path.replace(/\/api\/projects\/[^/]+$/, '');

/** `claude-…`, `anthropic/…` and the like: the family that speaks messages, by the name of its models. */
export const isAnthropicModel = (foundationModel: string): boolean =>
  /^(?:(?:anthropic|vendor-?a)[./:-])?claude(?:$|[-_ .@\d])|^(?:anthropic|vendor-?a)[./:]/i.test(foundationModel);
