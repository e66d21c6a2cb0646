import type { JsonBody } from '../../core/json/body.ts';
import type { Call } from '../../core/provider.ts';

/** Body fields in which clients without a way to set headers send them. */
export const headerFields = ['anthropic_beta', 'anthropic_version', 'vendor_beta'] as const;

/** Features that a request asks for: the entry's own list, then the client's by header or body, each once and in order. */
export function betasOf(call: Pick<Call, 'header'>, body: JsonBody | undefined, own: readonly string[] = []): readonly string[] {
  const betas = new Set(own);
  for (const name of ['anthropic-beta', 'vendor-beta']) for (const one of listed(call.header(name))) betas.add(one);
  for (const field of ['anthropic_beta', 'vendor_beta'])
    if (body?.has(field) === true) for (const one of listed(body.value(field))) betas.add(one);
  return [...betas];
}

/** A dated version of the API. The client's header wins, then its body, then the entry's setting. */
export function versionOf(call: Pick<Call, 'header'>, body: JsonBody | undefined, own: string): string {
  const header = call.header('anthropic-version');
  if (header !== undefined && header !== '') return header;
  const field = body?.peek('anthropic_version');
  // Bodies that were made for Vertex AI name its own version, which is none of the API.
  return typeof field === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(field) ? field : own;
}

/** Features as a list, from a list or from text with commas; what no header can hold is left out. */
export function listed(value: unknown): readonly string[] {
  const parts = Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value.split(',') : [];
  return parts.map((part) => part.trim()).filter((part) => /^[\x21-\x7e]+$/.test(part));
}
