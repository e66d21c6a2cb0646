import { describe, expect, it } from 'vitest';
import { TokenError } from '../token-source.ts';
import { tokenOf } from './token-request.ts';

const tokenResponse = (tokenFields: object) => ({
  status: 200,
  headers: {},
  body: Buffer.from(JSON.stringify(tokenFields)),
  host: 'issuer.example',
  requestedAt: 0,
  secrets: undefined,
});

describe('tokenOf()', () => {
  it('returns the token and its expiry time', () => {
    expect(tokenOf(tokenResponse({ access_token: 'ya29.a-b_c~d+e/f==', expires_in: 60 }))).toMatchObject({
      value: 'ya29.a-b_c~d+e/f==',
      expiresAt: 60_000,
    });
  });

  it.each([
    ['{"expires_in":"60"}', 60],
    ['{"expires_in":1e400}', 300],
    ['{"expires_in":"Infinity"}', 300],
    ['{"expires_in":-1}', 300],
    ['{"expires_in":null}', 300],
    ['{}', 300],
    ['{"expires_on":1e400,"expires_in":60}', 60],
    ['{"expires_on":90,"expires_in":60}', 90],
  ])('reads the lifetime from %s as %i seconds', (tokenFields, seconds) => {
    const body = Buffer.from(tokenFields.replace(/\}$/, `${tokenFields === '{}' ? '' : ','}"access_token":"t"}`));
    expect(tokenOf({ ...tokenResponse({}), body }).expiresAt).toBe(seconds * 1000);
  });

  it.each(['token\n', 'to ken', 'tok\u00e9n', '\0', ' '])('rejects a token that no HTTP header can contain: %j', (value) => {
    const readToken = (): unknown => tokenOf(tokenResponse({ access_token: value, expires_in: 3600 }));
    expect(readToken).toThrow(TokenError);
    expect(readToken).toThrow('issuer.example returned a token that no header could carry');
  });

  it.each([
    [400, 'invalid_client', 'invalid_client'],
    [401, 'invalid_grant', 'invalid_grant'],
    [408, 'request_timeout', undefined],
    [429, 'too_many_requests', undefined],
    [500, 'server_error', undefined],
    [503, 'temporarily_unavailable', undefined],
  ])('throws for status %i and error %s with reason %s', (status, error, reason) => {
    const readToken = (): unknown =>
      tokenOf({ ...tokenResponse({ error, error_description: 'why' }), status }, [{ text: 'why', field: 'secret', says: 'is wrong' }]);
    expect(readToken).toThrow(
      expect.objectContaining({
        reason,
        field: reason === undefined ? undefined : 'secret',
        message: expect.stringContaining(error) as string,
      }) as Error,
    );
  });
});
