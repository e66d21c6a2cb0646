import { describe, expect, it } from 'vitest';
import vertexAi from './index.ts';

const file = {
  type: 'service_account',
  project_id: 'p-1',
  client_email: 'a@b.example',
  private_key: '-----BEGIN\\nKEY',
  private_key_id: 'k1',
  token_uri: 'http://127.0.0.1:1/token',
};
const account = JSON.stringify(file);
const credential = (settings: object, key?: string) => vertexAi.entry.credential(settings, key);

describe('credential of vertex-ai', () => {
  it('uses the configured service account with its token_uri and a key with line breaks', () => {
    expect(credential({ service_account: account })).toEqual({
      scheme: 'oauth2',
      grant: {
        kind: 'jwt-bearer',
        tokenUri: file.token_uri,
        audience: file.token_uri,
        issuer: file.client_email,
        scope: 'https://www.googleapis.com/auth/cloud-platform',
        privateKey: '-----BEGIN\nKEY',
        keyId: 'k1',
        keyField: 'service_account',
        repeats: [{ statuses: [429, 500, 502, 503, 504], waitsMs: [1000] }],
      },
    });
  });

  it("uses Google's token endpoint for a service account of a request", () => {
    expect(credential({ service_account_json: account }, 'unused')).toMatchObject({
      grant: {
        tokenUri: 'https://oauth2.googleapis.com/token',
        issuer: 'a@b.example',
        keyField: 'vertex-service-account-json',
      },
    });
  });

  it.each([
    ['an access token', {}, 'ya29.x', { scheme: 'bearer', secret: 'ya29.x' }],
    ['an access token before the service account', { service_account: account }, 'ya29.x', { scheme: 'bearer', secret: 'ya29.x' }],
    ['an API key in express mode', { express: true }, 'AIza', { scheme: 'header', name: 'x-goog-api-key', secret: 'AIza' }],
    [
      'the identity of the machine',
      { ambient: true, credentials_file: '/f' },
      undefined,
      { scheme: 'oauth2', grant: { kind: 'google-ambient', credentialsFile: '/f', fileField: 'credentials_file' } },
    ],
    ['no credential', {}, undefined, { scheme: 'none' }],
  ])('can be %s', (_, settings, key, expected) => {
    expect(credential(settings, key)).toMatchObject(expected);
  });

  it.each([
    ['invalid JSON', '{"private_key": "SECRET', 'not JSON'],
    ['of another account type', JSON.stringify({ ...file, type: 'external_account' }), 'external_account'],
    ['without a key', JSON.stringify({ ...file, private_key: '' }), 'private_key'],
    ['without client_email', JSON.stringify({ ...file, client_email: undefined }), 'client_email'],
  ])('rejects a service account file that is %s, without secrets in the error', (_, text, message) => {
    expect(() => credential({ service_account: text })).toThrow(
      expect.objectContaining({ code: 'invalid_config', message: expect.stringContaining(message) as string }) as Error,
    );
    expect(() => credential({ service_account: text })).not.toThrow(/SECRET|BEGIN/);
  });

  it('cannot be the identity of the machine for a request', () => {
    expect(vertexAi.entry.requestSettings.map(({ setting }) => setting)).not.toEqual(expect.arrayContaining(['ambient']));
    for (const operatorSetting of ['credentials_file', 'storage_host', 'media']) {
      expect(vertexAi.entry.requestSettings.some(({ setting }) => setting === operatorSetting)).toBe(false);
    }
  });
});

describe('check of vertex-ai', () => {
  const problems = (settings: object) =>
    (vertexAi.entry.check?.(settings) ?? []).map(({ path, code, severity }) => [path[0], code, severity ?? 'error']);
  const validSettings = { region: 'eu', project: 'p-1' };

  it.each([
    ['nothing for complete settings', validSettings, []],
    ['nothing if the service account contains the project', { region: 'global', service_account: account }, []],
    ['nothing in express mode', { express: true }, []],
    [
      'missing settings as errors if the credential is configured',
      { service_account: JSON.stringify({ ...file, project_id: undefined }) },
      [
        ['region', 'missing-key', 'error'],
        ['project', 'missing-key', 'error'],
      ],
    ],
    [
      'settings that requests may send as warnings',
      {},
      [
        ['region', 'missing-key', 'warning'],
        ['project', 'missing-key', 'warning'],
      ],
    ],
    ['a region that is a host', { ...validSettings, region: 'evil.example/' }, [['region', 'out-of-range', 'error']]],
    ['an invalid region', { ...validSettings, region: 'europe' }, [['region', 'out-of-range', 'error']]],
    ['a display name as project', { ...validSettings, project: 'My project' }, [['project', 'out-of-range', 'error']]],
    ['an invalid API version', { ...validSettings, api_version: '2024' }, [['api_version', 'out-of-range', 'error']]],
    ['a path as service account', { ...validSettings, service_account: 'path.json' }, [['service_account', 'out-of-range', 'error']]],
    ['an invalid custom host', { ...validSettings, custom_host: 'x' }, [['custom_host', 'bad-custom-host', 'error']]],
    ['an invalid storage host', { ...validSettings, storage_host: 'x' }, [['storage_host', 'bad-custom-host', 'error']]],
    ['a bucket with its scheme', { ...validSettings, storage_bucket: 'gs://acme' }, [['storage_bucket', 'out-of-range', 'error']]],
    ['an invalid media bucket', { ...validSettings, media: { buckets: ['acme', 'a/b'] } }, [['media', 'out-of-range', 'error']]],
  ])('reports %s', (_, settings, expected) => {
    expect(problems(settings)).toEqual(expected);
  });
});
