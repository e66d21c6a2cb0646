import { describe, expect, it } from 'vitest';
import { providers, stages } from '../../../plugins/index.ts';
import { createMask } from '../../core/secrets/mask.ts';
import { loadConfig } from '../reload/load.ts';
import { unsetDefaults } from './defaults.ts';
import { effectiveValues } from './effective.ts';
import { locateWritten } from './origins.ts';

const text = `version: 1
server:
  header_prefixes: [x-a-]
  listen: {unix: /run/g.sock}
  open: true
providers:
  mock: {type: mock}
  gem: {type: gemini, api_key: "\${env:KEY:-none}", schemas: original}
  claude: {type: bedrock, api_key: "\${env:KEY:-none}", x-note: {a: 1}}
  azure: {type: azure-openai, resource_name: r, api_key: k-0123456789, deployments: {m: {deployment_id: d, api_version: "2024-10-21"}}}
api_keys:
  "a.b": {hash: "sha256:${'0'.repeat(64)}", enforce_config: true, default_config: c}
configs:
  c: {retry: {attempts: 2}, targets: [mock/m]}
`;

const loadEffective = async (secrets: readonly string[] = []) => {
  const request = { source: { text, name: 'gateway.yaml' }, cwd: '/', env: {}, providers, plugins: stages };
  const loaded = await loadConfig(request);
  const { tree } = loaded;
  if (tree === undefined) throw new Error(JSON.stringify(loaded.diagnostics));
  const written = locateWritten({ ...request, ...loaded });
  return effectiveValues(written, unsetDefaults(tree, providers), createMask(secrets));
};

describe('effectiveValues()', () => {
  it.each<[string, string | undefined, number | 'default' | undefined]>([
    ['server.open', 'true', 5],
    ['server.max_body', '50MB', 'default'],
    ['server.drain.timeout', '25s', 'default'],
    // A configured list or mapping replaces the default.
    ['server.header_prefixes[0]', 'x-a-', 3],
    ['server.header_prefixes', undefined, undefined],
    ['server.listen', undefined, undefined],
    ['logging.requests.bodies', 'redacted', 'default'],
    ['providers.mock.enabled', 'true', 'default'],
    // Settings of the provider type.
    ['providers.gem.schemas', 'original', 8],
    ['providers.gem.signature_stand_in', 'true', 'default'],
    ['providers.claude.region', 'us-east-1', 'default'],
    ['providers.claude.x-note.a', '1', 9],
    ['api_keys."a.b".enforce_config', 'true', 12],
    ['api_keys."a.b".isolate', 'true', 'default'],
    // A target inherits settings that it does not set.
    ['configs.c.retry.use_retry_after_header', undefined, undefined],
    // Sections that are not configured are not in use.
    ['observability.metrics.path', undefined, undefined],
  ])('shows %s as %s, from %s', async (path, value, source) => {
    const matching = (await loadEffective()).filter((setting) => setting.path === path);
    const origin = source === 'default' ? source : { file: 'gateway.yaml', line: source };
    expect(matching).toEqual(value === undefined ? [] : [{ path, value, origin }]);
  });

  it('lists each path once, with the defaults of an entry after its configured values', async () => {
    const paths = (await loadEffective()).map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    const groups = paths.map((path) => path.split('.', path.startsWith('providers.') ? 2 : 1).join('.'));
    expect(groups.filter((group, i) => group !== groups[i - 1]).filter((one, i, all) => all.indexOf(one) !== i)).toEqual([]);
  });

  it('shows no secret, even if a name equals one', async () => {
    expect(JSON.stringify(await loadEffective(['bedrock', 'claude']))).not.toMatch(/bedrock|claude|k-0123456789/);
  });
});
