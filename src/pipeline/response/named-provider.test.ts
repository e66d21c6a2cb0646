import { describe, expect, it } from 'vitest';
import { type ErrorCode, GatewayError } from '../../core/error.ts';
import type { Attempt } from '../../core/plan.ts';
import { withProvider } from './named-provider.ts';

const attempt = { binding: { slug: 'oai' } } as Attempt;
const namedError = (message: string, code: ErrorCode = 'upstream_invalid', source: 'provider' | 'gateway' = 'provider'): GatewayError =>
  withProvider(attempt, new GatewayError(code, { message, source, hint: 'Try again.' }));

describe('withProvider()', () => {
  it.each([
    ['The provider sent an empty stream.', 'Provider "oai" sent an empty stream.'],
    ["The provider's response is not JSON.", 'The response of provider "oai" is not JSON.'],
    ["The provider's connection broke.", 'The connection of provider "oai" broke.'],
    ['An event is too large.', 'Provider "oai": An event is too large.'],
    ['Provider "oai" is not ready.', 'Provider "oai" is not ready.'],
  ])('%s', (message, expected) => {
    expect(namedError(message)).toMatchObject({ message: expected, code: 'upstream_invalid', hint: 'Try again.' });
  });

  it.each<[string, ErrorCode, 'provider' | 'gateway']>([
    ['an error of the gateway', 'timeout', 'gateway'],
    ["the provider's own error", 'provider_error', 'provider'],
  ])('does not change %s', (_name, code, source) => {
    expect(namedError('The provider is late.', code, source).message).toBe('The provider is late.');
  });

  it('does not change an error without an attempt', () => {
    const error = new GatewayError('timeout', { message: 'The provider is late.', source: 'provider' });
    expect(withProvider(undefined, error)).toBe(error);
  });
});
