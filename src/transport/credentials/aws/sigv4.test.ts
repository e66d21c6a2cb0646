import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { canonicalRequest, SigV4, type SigningRequest } from './sigv4.ts';

interface Suite {
  readonly region: string;
  readonly service: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly at: string;
  readonly requests: readonly (SigningRequest & { readonly name: string; readonly body: string; readonly authorization: string })[];
}

const suite = JSON.parse(readFileSync(new URL('fixtures/sigv4-suite.json', import.meta.url), 'utf8')) as Suite;
const { accessKeyId, secretAccessKey } = suite;
const signatureOf = (headers: readonly string[]): string | undefined => headers[headers.indexOf('authorization') + 1];

describe('SigV4 with the AWS test suite', () => {
  it('has all 24 requests of the test suite', () => {
    expect(suite.requests.length).toBe(24);
  });

  it.each(suite.requests)('signs $name', ({ authorization, ...request }) => {
    const signer = new SigV4({ accessKeyId, secretAccessKey }, suite);
    expect(signatureOf(signer.sign(request, Date.parse(suite.at)))).toBe(authorization);
  });
});

describe('SigV4 for a model call', () => {
  const request: SigningRequest = {
    method: 'POST',
    host: 'bedrock-runtime.us-east-1.amazonaws.com',
    path: '/model/us.vendor.model-v1%3A0/converse',
    headers: ['content-type', 'application/json'],
    body: '{"messages":[{"role":"user","content":[{"text":"Hi"}]}]}',
  };
  const scope = { region: 'us-east-1', service: 'bedrock' };
  const now = Date.parse('2026-01-02T03:04:05Z');

  it('encodes the path again before it signs the request', () => {
    const { canonical } = canonicalRequest(request, ['x-amz-date', '20260102T030405Z']);
    expect(canonical.split('\n')[1]).toBe('/model/us.vendor.model-v1%253A0/converse');
    const signed = new SigV4({ accessKeyId, secretAccessKey }, scope).sign(request, now);
    expect(signatureOf(signed)).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/us-east-1/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=9fa1014d1552932ec1c1a21060c0a0e56e7dfdb5039c3bd7fc7950cbb195152b',
    );
  });

  it('sends and signs the session token of a role', () => {
    const signed = new SigV4({ accessKeyId, secretAccessKey, sessionToken: 'T' }, scope).sign(request, now);
    expect(signed.slice(0, 4)).toEqual(['x-amz-date', '20260102T030405Z', 'x-amz-security-token', 'T']);
    expect(signatureOf(signed)).toContain('SignedHeaders=content-type;host;x-amz-date;x-amz-security-token,');
  });

  it('derives a new signing key for each day', () => {
    const signer = new SigV4({ accessKeyId, secretAccessKey }, scope);
    const times = [now, now + 86_400_000, now];
    const freshSignatures = times.map((day) => new SigV4({ accessKeyId, secretAccessKey }, scope).sign(request, day));
    expect(times.map((day) => signer.sign(request, day))).toEqual(freshSignatures);
  });
});
