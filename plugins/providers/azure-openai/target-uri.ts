import { parseBase } from '../_shared/address.ts';
import type { AzureUri } from '../_azure/entries.ts';
import { percentDecoded } from '#core/http/query.ts';

/** A parsed address from the configuration. */
export interface TargetUri extends AzureUri {
  /** Path up to and including the first segment `openai`. */
  readonly path: string;
  readonly deployment: string | undefined;
  /** True if `/v1` follows the base. */
  readonly isV1: boolean;
  /** True if more than `/v1`, or a query, follows `openai`. */
  readonly hasMore: boolean;
}

const resourceHost = /^([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us|cn)$/;

/** Azure hosts with formats that this provider does not support. */
const singleModelHost = /\.(?:models\.ai|inference\.ml)\.azure\.(?:com|us|cn)$/;

/** Parses a target URI or custom host; returns the reason as text if it cannot be used. */
export function parseTargetUri(text: string): TargetUri | string {
  const trimmed = text.trim().replace(/^ws(s?):\/\//i, 'http$1://');
  const parsed = parseBase(trimmed.includes('://') ? trimmed : `https://${trimmed}`);
  if (typeof parsed === 'string') return parsed;
  const { url, origin } = parsed;
  if (singleModelHost.test(url.hostname)) return 'it is a single-model endpoint, which type azure-ai serves';
  const resource = resourceHost.exec(url.hostname)?.[1];
  const segments = url.pathname.split('/').filter((part) => part !== '');
  const openaiIndex = segments.indexOf('openai');
  if (resource !== undefined && openaiIndex < 0 && (segments[0] === 'models' || segments[0] === 'anthropic')) {
    return `it is the foundry route /${segments[0]}, which type azure-ai serves`;
  }
  const { path, rest } =
    openaiIndex < 0
      ? rootOf(segments, resource !== undefined)
      : { path: segments.slice(0, openaiIndex + 1), rest: segments.slice(openaiIndex + 1) };
  const query = queryOf(url);
  return {
    origin,
    path: path.map((part) => `/${part}`).join(''),
    resource,
    deployment: deploymentOf(rest, query),
    apiVersion: query.get('api-version'),
    isV1: rest[0] === 'v1',
    hasMore: rest.length > (rest[0] === 'v1' ? 1 : 0) || url.search !== '',
  };
}

/**
 * Handles a path without a segment `openai`. On an Azure host the segment is added; on other hosts the routes are at the root, and
 * a known route is removed from the path.
 */
function rootOf(segments: readonly string[], isAzureHost: boolean): { readonly path: readonly string[]; readonly rest: readonly string[] } {
  const route = segments.findIndex((part, index) => part === 'deployments' || (part === 'v1' && index === segments.length - 1));
  const path = route < 0 ? segments : segments.slice(0, route);
  return { path: isAzureHost ? [...path, 'openai'] : path, rest: route < 0 ? [] : segments.slice(route) };
}

function deploymentOf(rest: readonly string[], query: ReadonlyMap<string, string>): string | undefined {
  const at = rest.indexOf('deployments');
  const named = at < 0 ? undefined : rest[at + 1];
  if (named !== undefined) return percentDecoded(named);
  return query.get('deployment') ?? (rest.at(-1) === 'realtime' ? query.get('model') : undefined);
}

function queryOf(url: URL): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of url.searchParams) if (value !== '') found.set(key.toLowerCase(), value);
  return found;
}
