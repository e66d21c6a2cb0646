import type { JsonBody } from '../../core/json/body.ts';
import type { Call } from '../../core/provider.ts';

/** Body fields for clients that cannot set headers. */
export const headerFields = ['anthropic_beta', 'anthropic_version', 'vendor_beta'] as const;

/**
 * Lists the beta features of a request: those set for the provider, then those of the client, from headers and body. Each once
 * and in order.
 */
export function betasOf(call: Pick<Call, 'header'>, body: JsonBody | undefined, configured: readonly string[] = []): readonly string[] {
  const betas = new Set(configured);
  for (const name of ['anthropic-beta', 'vendor-beta']) for (const one of parseFeatures(call.header(name))) betas.add(one);
  for (const field of ['anthropic_beta', 'vendor_beta'])
    if (body?.has(field) === true) for (const one of parseFeatures(body.value(field))) betas.add(one);
  return [...betas];
}

/** Returns the dated version of the API: from the client's header, else from its body, else from the provider's setting. */
export function versionOf(call: Pick<Call, 'header'>, body: JsonBody | undefined, configured: string): string {
  const header = call.header('anthropic-version');
  if (header !== undefined && header !== '') return header;
  const field = body?.peek('anthropic_version');
  // Bodies made for Vertex AI contain its own version, which the API does not know.
  return typeof field === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(field) ? field : configured;
}

/** Splits features from a list or a comma-separated text. Values that a header cannot contain are dropped. */
export function parseFeatures(value: unknown): readonly string[] {
  const parts = Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value.split(',') : [];
  return parts.map((part) => part.trim()).filter((part) => /^[\x21-\x7e]+$/.test(part));
}
