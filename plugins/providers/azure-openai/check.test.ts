import { expect, it } from 'vitest';
import { check } from './check.ts';
import type { AzureSettings } from './settings.ts';

const deployment = { deployment_id: 'd1', foundation_model: 'm' };

it.each<readonly [string, AzureSettings]>([
  ['a resource and deployments', { resource_name: 'contoso-eu', deployments: { a: deployment } }],
  ['a pasted resource', { resource_name: 'https://contoso.openai.azure.com/' }],
  [
    'only target URIs',
    { deployments: { a: { target_uri: 'https://r1.openai.azure.com/openai/deployments/d1/x', foundation_model: 'm' } } },
  ],
  ['a custom host that ends at /openai', { custom_host: 'https://r1.openai.azure.us/openai' }],
  ['a custom host that ends at /openai/v1', { custom_host: 'https://r1.openai.azure.us/openai/v1' }],
])('check accepts %s', (_name, settings) => {
  expect(check({ api_version: 'v1', ...settings })).toEqual([]);
});

it.each<readonly [string, AzureSettings, object]>([
  ['no resource', {}, { path: ['resource_name'], code: 'missing-key' }],
  ['no resource with a deployment that needs one', { deployments: { a: deployment } }, { path: ['resource_name'], code: 'missing-key' }],
  ['a resource that is not a DNS label', { resource_name: 'contoso_eu!' }, { path: ['resource_name'], code: 'bad-url' }],
  [
    'a resource that is a URL of another host',
    { resource_name: 'https://evil.example/openai' },
    { path: ['resource_name'], code: 'bad-url' },
  ],
  [
    'a custom host with a route',
    { custom_host: 'https://r1.openai.azure.us/openai/deployments/x' },
    { path: ['custom_host'], code: 'bad-custom-host', severity: 'warning', hint: 'Write https://r1.openai.azure.us/openai.' },
  ],
  [
    'a custom host without scheme',
    { custom_host: 'r1.openai.azure.us/openai' },
    { path: ['custom_host'], code: 'bad-custom-host', hint: 'Write https://r1.openai.azure.us/openai.' },
  ],
  [
    'a custom host with a user',
    { custom_host: 'https://u:p@r1.openai.azure.us/openai' },
    { path: ['custom_host'], code: 'bad-custom-host' },
  ],
  ['an invalid API version', { resource_name: 'r1', api_version: '2024' }, { path: ['api_version'], code: 'out-of-range' }],
  [
    'a managed identity that a header requests',
    { resource_name: 'r1', auth_mode: 'managed' },
    { path: ['auth_mode'], code: 'out-of-range' },
  ],
  ['an incomplete Entra application', { resource_name: 'r1', auth_mode: 'entra' }, { path: ['entra_tenant_id'], code: 'missing-key' }],
  [
    'a token next to another credential',
    { resource_name: 'r1', ad_token: 't', auth: { mode: 'managed_identity' } },
    { path: ['ad_token'], code: 'conflict' },
  ],
  [
    'an authority without scheme',
    { resource_name: 'r1', auth: { mode: 'workload_identity', authority: 'login.example' } },
    { path: ['auth', 'authority'], code: 'bad-url' },
  ],
  [
    'a scope without /.default',
    { resource_name: 'r1', auth: { mode: 'workload_identity', scope: 'https://ai.azure.com' } },
    { path: ['auth', 'scope'], code: 'out-of-range', severity: 'warning', hint: 'Write https://ai.azure.com/.default.' },
  ],
  [
    'a deployment without id',
    { resource_name: 'r1', deployments: { a: { foundation_model: 'm' } } },
    { path: ['deployments', 'a'], code: 'missing-key' },
  ],
  [
    'a target URI without deployment',
    { resource_name: 'r1', deployments: { a: { foundation_model: 'm', target_uri: 'https://r1.openai.azure.com/openai/v1/' } } },
    { path: ['deployments', 'a'], code: 'missing-key' },
  ],
  [
    'a target URI of another service',
    { resource_name: 'r1', deployments: { a: { foundation_model: 'm', target_uri: 'https://m.eastus2.models.ai.azure.com' } } },
    { path: ['deployments', 'a', 'target_uri'], code: 'bad-url' },
  ],
  [
    'a target URI that contradicts the deployment id',
    { resource_name: 'r1', deployments: { a: { ...deployment, target_uri: 'https://r1.openai.azure.com/openai/deployments/d2' } } },
    { path: ['deployments', 'a', 'deployment_id'], code: 'conflict', severity: 'warning' },
  ],
  [
    'two defaults',
    { resource_name: 'r1', deployments: { a: { ...deployment, default: true }, b: { ...deployment, default: true } } },
    { path: ['deployments', 'b', 'default'], code: 'conflict' },
  ],
  [
    'no foundation model',
    { resource_name: 'r1', deployments: { a: { deployment_id: 'd1' } } },
    { path: ['deployments', 'a'], code: 'missing-key', severity: 'warning' },
  ],
])('check reports %s as one problem with its path', (_name, settings, problem) => {
  expect(check({ api_version: 'v1', ...settings })).toMatchObject([problem]);
});

const missing = [{ path: ['api_version'], code: 'missing-key', severity: 'warning' }];

it.each<readonly [string, AzureSettings, readonly object[]]>([
  ['nothing sets api_version', { resource_name: 'r1' }, missing],
  ['no deployment sets it', { resource_name: 'r1', deployments: { a: deployment } }, missing],
  [
    'one of two deployments does not set it',
    { resource_name: 'r1', deployments: { a: { ...deployment, api_version: 'v1' }, b: deployment } },
    missing,
  ],
  [
    'a target URI of the dated address has no version',
    uriOf('https://r1.openai.azure.com/openai/deployments/d1/chat/completions'),
    missing,
  ],
  ['a target URI has a version', uriOf('https://r1.openai.azure.com/openai/deployments/d1/chat/completions?api-version=2024-10-21'), []],
  ['a target URI has v1', uriOf('https://r1.openai.azure.com/openai/v1/'), []],
  ['every deployment has a version', { resource_name: 'r1', deployments: { a: { ...deployment, api_version: '2024-10-21' } } }, []],
  ['a custom host has v1', { custom_host: 'https://r1.openai.azure.us/openai/v1' }, []],
])('check warns of a missing version only if no default applies: %s', (_name, settings, expected) => {
  expect(check(settings)).toMatchObject(expected);
});

function uriOf(uri: string): AzureSettings {
  return { deployments: { a: { ...deployment, target_uri: uri } } };
}
