import type { JsonBody } from '../../core/json/body.ts';
import type { HeaderPairs } from '../../core/http/headers.ts';
import type { Call } from '../../core/provider.ts';

/** Body fields for clients that cannot set headers. */
export const headerFields = ['anthropic_beta', 'anthropic_version', 'vendor_beta'] as const;

/** The last version before the one that rejects sampling parameters for newer models. */
export const defaultVersion = '2023-06-01';

const none: readonly string[] = Object.freeze([]);

/** Builds `anthropic-version`, which the API requires, and `anthropic-beta` if a feature is requested. Parameters as of `betasOf`. */
export function versionHeaders(
  call: Pick<Call, 'header'>,
  body: JsonBody | undefined,
  configured: { readonly version: string | undefined; readonly betas: unknown },
  needed?: readonly string[],
): HeaderPairs {
  const headers: HeaderPairs = ['anthropic-version', versionOf(call, body, configured.version ?? defaultVersion)];
  const betas = betasOf(call, body, configured.betas, needed);
  if (betas.length > 0) headers.push('anthropic-beta', betas.join(','));
  return headers;
}

/**
 * Lists the beta features of a request, each once: those set for the provider, those that the request needs, then those of the
 * client, from headers and body.
 *
 * @param configured the provider's setting: a list, or a comma-separated text
 */
export function betasOf(
  call: Pick<Call, 'header'>,
  body: JsonBody | undefined,
  configured: unknown,
  needed: readonly string[] = none,
): readonly string[] {
  const betas = new Set(parseFeatures(configured));
  for (const one of needed) betas.add(one);
  for (const name of ['anthropic-beta', 'vendor-beta']) for (const one of parseFeatures(call.header(name))) betas.add(one);
  for (const field of ['anthropic_beta', 'vendor_beta'])
    if (body?.has(field) === true) for (const one of parseFeatures(body.value(field))) betas.add(one);
  return [...betas];
}

/** Returns the dated version of the API: from the client's header, else from its body, else from the provider's setting. */
function versionOf(call: Pick<Call, 'header'>, body: JsonBody | undefined, configured: string): string {
  const header = call.header('anthropic-version');
  if (header !== undefined && header !== '') return header;
  const field = body?.peek('anthropic_version');
  // Bodies made for Vertex AI contain its own version, which the API does not know.
  return typeof field === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(field) ? field : configured;
}

/** Reads features from a list or a comma-separated text. Values that a header cannot contain are dropped. */
export function parseFeatures(value: unknown): readonly string[] {
  if (typeof value !== 'string' && !Array.isArray(value)) return none;
  const parts = (typeof value === 'string' ? value : value.join(',')).split(',');
  return parts.map((part) => part.trim()).filter((part) => /^[\x21-\x7e]+$/.test(part));
}
