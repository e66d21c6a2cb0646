import { describe, expect, it } from 'vitest';
import { providers } from '../../../plugins/index.ts';
import { Origins, locateWritten } from './origins.ts';

const text = `version: 1
providers:
  main:
    type: openai
    api_key: \${env:KEY:-none-of-it}
  other: {type: openai, api_key: sk-literal-value-of-a-key}
configs:
  "a.b":
    labels: {team: web}
    overrideParams:
      temperature: 0.2
      tools: [{type: mcp, headers: {cookie: s=canary-of-the-tool}}]
    targets: [main/gpt-4o, {provider: other, x-note: "\${env:PLACE}"}]
observability:
  logs: {otlp: http://c, headers: {x-team: canary-of-the-team}}
`;

const origin = (secrets: readonly string[] = []) =>
  locateWritten({ source: { text, name: 'gateway.yaml' }, cwd: '/', env: {}, providers, texts: {}, secrets });
const createOrigins = () => new Origins(origin());

describe('Origins', () => {
  it.each([
    ['providers.main.api_key', 5],
    ['providers.other.api_key', 6],
    ['configs."a.b"', 8],
    ['configs."a.b".override_params.temperature', 11],
    ['configs."a.b".targets[1].provider', 13],
  ])('finds %s in line %d', (path, line) => {
    expect(createOrigins().at(path)).toEqual({ file: 'gateway.yaml', line });
  });

  it('returns null for a path that no file contains, and the nearest path above it from near()', () => {
    expect(createOrigins().at('configs."a.b".targets[1].weight')).toBeNull();
    expect(createOrigins().near('configs."a.b".targets[1].weight')).toEqual({ file: 'gateway.yaml', line: 13 });
    expect(createOrigins().near('server.listen')).toBeNull();
  });

  it('shows references and no secrets', () => {
    const { values } = origin(['web']);
    const valueOf = (path: string) => values.find((entry) => entry.path === path)?.value;
    expect(valueOf('providers.main.api_key')).toBe('${env:KEY:-…}');
    expect(valueOf('providers.other.api_key')).toBe('(set in the file, not shown)');
    expect(valueOf('configs."a.b".override_params.temperature')).toBe('0.2');
    expect(JSON.stringify(values)).not.toMatch(/none-of-it|sk-literal|canary-of-the-t/);
  });

  it('hides known secrets anywhere in a value', () => {
    const { values } = origin(['gpt-4o']);
    expect(JSON.stringify(values)).not.toContain('gpt-4o');
  });

  it('returns the references of resolved values', () => {
    const references = createOrigins().references((path) => (path.endsWith('api_key') ? 'resolved' : 'elsewhere'));
    expect([...references]).toEqual([
      ['resolved', '${env:KEY:-…}'],
      ['elsewhere', '${env:PLACE}'],
    ]);
  });
});
