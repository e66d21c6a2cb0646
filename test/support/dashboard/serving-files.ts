import type { ConfigFiles, Diagnosed, EffectiveConfig, RevisionView, ShownDiagnostic } from '../../../src/admin/api-types.ts';

const diagnostics: readonly ShownDiagnostic[] = [
  {
    level: 'error',
    code: 'unknown-key',
    message: 'unknown key "retrys"',
    hint: 'did you mean "retry"? configs.support.targets[0] takes: provider, virtual_key, retry, cache, weight, override_params',
    file: 'configs/support.yaml',
    line: 9,
    column: 9,
  },
  {
    level: 'error',
    code: 'unknown-reference',
    message: 'no provider called "azure-ue"',
    hint: 'did you mean "azure-eu" (gateway.yaml:9)?',
    file: 'configs/support.yaml',
    line: 11,
    column: 19,
  },
  {
    level: 'warning',
    code: 'plain-secret',
    message: 'the key is written in the file',
    hint: 'use ${env:NAME} or ${file:/run/secrets/name}; value not shown',
    file: 'gateway.yaml',
    line: 12,
    column: 14,
  },
];

export const diagnosed: Diagnosed = { diagnostics, errors: 2, warnings: 1 };

const gatewayText = `version: 1
include: [configs/*.yaml, keys.d/*.yaml]

server:
  listen: 127.0.0.1:8787
  request_timeout: 120s

providers:
  openai-main:
    type: openai
    api_key: \${env:OPENAI_API_KEY}
  azure-eu:
    type: azure-openai
    resource_name: contoso-eu
    auth: {mode: api_key, api_key: "\${env:AZURE_KEY}"}
    deployments:
      gpt-4o-mini: {deployment_id: chat-mini, api_version: "2024-10-21", foundation_model: gpt-4o-mini}
`;

const supportText = `configs:
  support:
    strategy: {mode: fallback, on_status_codes: [429, 500, 502, 503, 504]}
    retry: {attempts: 2, on_status_codes: [429, 503]}
    labels: {team: support}
    targets:
      - provider: openai-main
        override_params:
          model: gpt-4o-mini
          temperature: 0.2
      - azure-eu/gpt-4o-mini
`;

export const sampleFiles = [
  { path: 'gateway.yaml', text: gatewayText },
  { path: 'configs/support.yaml', text: supportText },
] as const;

const location = (file: string, line: number) => ({ file, line });

export const sampleConfig: EffectiveConfig & ConfigFiles = {
  revision: '91bd0e7c',
  files: sampleFiles,
  values: [
    { path: 'version', value: '1', origin: location('gateway.yaml', 1) },
    { path: 'server.listen', value: '127.0.0.1:8787', origin: location('gateway.yaml', 5) },
    { path: 'server.request_timeout', value: '120s', origin: location('gateway.yaml', 6) },
    { path: 'providers.openai-main.type', value: 'openai', origin: location('gateway.yaml', 10) },
    { path: 'providers.openai-main.api_key', value: '${env:OPENAI_API_KEY}', origin: location('gateway.yaml', 11) },
    { path: 'configs.support.targets[0].override_params.temperature', value: '0.2', origin: location('configs/support.yaml', 10) },
    { path: 'logging.requests.bodies', value: 'redacted', origin: 'default' },
    { path: 'server.max_body', value: '50MB', origin: 'default' },
  ],
  total: 0,
  diagnostics: [],
  errors: 0,
  warnings: 0,
};

/** Revisions, newest first. */
export const sampleRevisions = (now: number): readonly RevisionView[] => [
  {
    revision: '91bd0e7c',
    applied_at: now - 600_000,
    serves: true,
    files: [
      { path: 'gateway.yaml', modified_at: now - 86_400_000 },
      { path: 'configs/support.yaml', modified_at: now - 601_000 },
    ],
    changes: ['~configs.support.targets[0].override_params.temperature', '+configs.support.targets[1]'],
    diff: `--- configs/support.yaml\n+++ configs/support.yaml\n@@ -9,2 +9,3 @@\n           model: gpt-4o-mini\n-          temperature: 0.9\n+          temperature: 0.2\n+      - azure-eu/gpt-4o-mini\n`,
  },
  {
    revision: '8f3c2a10',
    applied_at: now - 7_200_000,
    serves: false,
    files: [
      { path: 'gateway.yaml', modified_at: now - 86_400_000 },
      { path: 'configs/support.yaml', modified_at: now - 7_201_000 },
    ],
    changes: [],
    diff: `--- gateway.yaml\n+++ gateway.yaml\n@@ -0,0 +1 @@\n+version: 1\n`,
  },
];
