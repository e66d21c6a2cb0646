import { type ErrorCode, GatewayError } from '../../core/error.ts';
import type { Attempt } from '../../core/plan.ts';

/** Errors of the code that reads a response, which does not know the provider's name. */
const unnamed: ReadonlySet<ErrorCode> = new Set(['upstream_invalid', 'stream_interrupted', 'idle_timeout', 'timeout']);

/** Names the provider in the error of a response that is invalid, incomplete or late. */
export function withProvider(attempt: Attempt | undefined, error: GatewayError): GatewayError {
  const slug = attempt?.binding.slug;
  if (slug === undefined || error.source !== 'provider' || !unnamed.has(error.code) || error.message.includes(`rovider "${slug}"`))
    return error;
  const { hint, source, status, retry, cause } = error;
  return new GatewayError(error.code, { message: named(error.message, slug), hint, source, status, retry, cause });
}

/** Those sentences begin with "The provider" or "The provider's response". Others get the name in front. */
function named(message: string, slug: string): string {
  const sentence = message
    .replace(/^The provider's (\w+)/, `The $1 of provider "${slug}"`)
    .replace(/^The provider /, `Provider "${slug}" `);
  return sentence === message ? `Provider "${slug}": ${message}` : sentence;
}
