import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../config/report/diagnostic.ts';
import { banner, type BannerFacts, bannerFields, rejectedText, reloadedText } from './banner.ts';

const warning: Diagnostic = {
  code: 'never-used',
  severity: 'warning',
  file: 'gateway.yaml',
  line: 31,
  column: 5,
  endColumn: 9,
  message: 'target 2 of config "draft" can never be reached',
  hint: 'its weight is 0',
};
const fault: Diagnostic = {
  ...warning,
  code: 'unknown-key',
  severity: 'error',
  file: 'configs/support.yaml',
  line: 9,
  column: 9,
  message: 'unknown key "retrys"',
  hint: 'did you mean "retry"?',
};

const check = 'gateway check -c a.yaml';

const facts: BannerFacts = {
  checkCommand: check,
  version: '0.4.0',
  node: 'v24.21.0',
  pid: 4127,
  file: { shown: './gateway.yaml', included: 3, checkedMs: 41 },
  revision: '8f3c2a1',
  warnings: [warning],
  providers: [{ slug: 'openai-main' }, { slug: 'azure-eu' }],
  counts: { configs: 6, apiKeys: 3, virtualKeys: 0, prompts: 2 },
  pipeline: ['auth', 'routing', 'logging'],
  url: 'http://127.0.0.1:8787/v1',
  probes: undefined,
  isLoopback: true,
  readyMs: 340,
  watching: 4,
  model: undefined,
};

describe('banner()', () => {
  it('shows the configuration, providers, pipeline and address', () => {
    expect(banner(facts)).toBe(`gateway 0.4.0 · node 24.21 · pid 4127
config     ./gateway.yaml + 3 included · revision 8f3c2a1 · checked in 41 ms · 1 warning
           gateway.yaml:31:5 warning: target 2 of config "draft" can never be reached (its weight is 0)
providers  openai-main · azure-eu        configs 6 · api keys 3 · prompts 2
pipeline   auth → routing → logging
listening  http://127.0.0.1:8787/v1
ready in 0.34 s · watching 4 files
`);
  });

  it('shows curl commands in try-out mode', () => {
    const trialFacts: BannerFacts = {
      ...facts,
      file: undefined,
      warnings: [],
      providers: [{ slug: 'mock' }, { slug: 'openai', from: 'OPENAI_API_KEY' }],
      counts: { configs: 0, apiKeys: 0, virtualKeys: 0 },
      watching: undefined,
      model: '@mock/echo',
    };
    expect(banner(trialFacts)).toBe(`gateway 0.4.0 · node 24.21 · pid 4127
config     none found, serving with a mock provider (gateway init writes gateway.yaml, -c names another file)
providers  mock · openai (from OPENAI_API_KEY)
pipeline   auth → routing → logging
listening  http://127.0.0.1:8787/v1
ready in 0.34 s

Try it:
  curl http://127.0.0.1:8787/v1/chat/completions -H 'content-type: application/json' \\
    -d '{"model":"@mock/echo","messages":[{"role":"user","content":"hello"}]}'
  curl -N http://127.0.0.1:8787/v1/chat/completions -H 'content-type: application/json' \\
    -d '{"model":"@mock/echo","stream":true,"messages":[{"role":"user","content":"hello"}]}'
`);
  });

  it('omits empty parts and reports that the gateway is open to this machine', () => {
    const minimalBanner = banner({
      ...facts,
      file: { shown: 'a.yaml', included: 0, checkedMs: undefined },
      warnings: [],
      providers: [],
      counts: { configs: 0, apiKeys: 0, virtualKeys: 2 },
      probes: 'http://127.0.0.1:8789',
      watching: 1,
    });
    expect(minimalBanner.split('\n').slice(1)).toEqual([
      'config     a.yaml · revision 8f3c2a1',
      'providers  none        virtual keys 2 · no API keys: open to this machine',
      'pipeline   auth → routing → logging',
      'listening  http://127.0.0.1:8787/v1      probes  http://127.0.0.1:8789',
      'ready in 0.34 s · watching 1 file',
      '',
    ]);
  });

  it('reports that other hosts can connect without a key', () => {
    const open = banner({ ...facts, isLoopback: false, counts: { ...facts.counts, apiKeys: 0 } });
    expect(open).toContain('configs 6 · no API keys: open to everyone who can connect');
  });

  it('shows ten warnings and the number of the others', () => {
    const lines = banner({ ...facts, warnings: Array.from({ length: 13 }, () => warning) }).split('\n');
    expect(lines.filter((line) => line.includes(' warning: '))).toHaveLength(10);
    expect(lines).toContain('           and 3 more: run gateway check -c a.yaml');
  });

  it('shows curl commands for a Unix socket', () => {
    expect(banner({ ...facts, url: 'unix:/run/gw.sock/v1', model: '@m/echo' })).toContain(
      'curl --unix-socket /run/gw.sock http://localhost/v1/chat/completions ',
    );
  });

  it('has the same facts as bannerFields()', () => {
    expect(bannerFields(facts)).toEqual({
      version: '0.4.0',
      node: 'v24.21.0',
      pid: 4127,
      config: './gateway.yaml',
      revision: '8f3c2a1',
      warnings: ['gateway.yaml:31:5 warning: target 2 of config "draft" can never be reached (its weight is 0)'],
      providers: ['openai-main', 'azure-eu'],
      counts: { configs: 6, apiKeys: 3, virtualKeys: 0, prompts: 2 },
      pipeline: ['auth', 'routing', 'logging'],
      url: 'http://127.0.0.1:8787/v1',
      ready_ms: 340,
    });
  });
});

describe('log lines of a reload', () => {
  const reloaded = { revision: '91bd0e7', changes: ['~configs.support', '+providers.claude'], ms: 38, restart: [], warnings: [] };
  it('list the changes', () => {
    expect(reloadedText(reloaded, '09:31:40', check)).toBe(
      '09:31:40  config reloaded · revision 91bd0e7 · ~configs.support  +providers.claude  (38 ms, 0 requests interrupted)',
    );
  });

  it('list the settings that need a restart', () => {
    expect(reloadedText({ ...reloaded, changes: [], restart: ['server.listen', 'server.state_dir'] }, '09:31:40', check)).toBe(
      '09:31:40  config reloaded · revision 91bd0e7  (38 ms, 0 requests interrupted)\n          needs a restart: server.listen, server.state_dir',
    );
  });

  it('list the new warnings', () => {
    expect(reloadedText({ ...reloaded, changes: [], warnings: [warning] }, '09:31:40', check)).toContain(
      '0 requests interrupted)\n          gateway.yaml:31:5 warning: target 2 of config "draft" can never be reached',
    );
  });

  it('shorten a long list of changes', () => {
    const changes = Array.from({ length: 12 }, (_, i) => `~configs.c${i}`);
    expect(reloadedText({ ...reloaded, changes }, '09:31:40', check)).toContain('~configs.c9  and 2 more  (38 ms');
  });

  it('contain no control character of a name', () => {
    expect(reloadedText({ ...reloaded, changes: ['+configs.\u001b[2J\u009b31m'] }, '09:31:40', check)).toContain(
      ' · +configs.\ufffd[2J\ufffd31m  (',
    );
  });

  it('name a rollback', () => {
    expect(reloadedText({ ...reloaded, isRollback: true }, '09:31:40', check)).toMatch(
      /^09:31:40 {2}config rolled back · revision 91bd0e7 · /,
    );
    expect(rejectedText({ revision: '91bd0e7', diagnostics: [fault], isRollback: true }, '09:32:02', check)).toMatch(
      /^09:32:02 {2}config NOT rolled back, revision 91bd0e7 keeps serving:\n/,
    );
  });

  it('list the errors and the revision that stays active', () => {
    expect(rejectedText({ revision: '91bd0e7', diagnostics: [warning, fault] }, '09:32:02', check)).toBe(
      '09:32:02  config NOT reloaded, revision 91bd0e7 keeps serving:\n          configs/support.yaml:9:9 error: unknown key "retrys" (did you mean "retry"?)',
    );
    expect(rejectedText({ revision: '91bd0e7', diagnostics: [], reason: 'plugin "x" could not be set up' }, '09:32:02', check)).toBe(
      '09:32:02  config NOT reloaded, revision 91bd0e7 keeps serving:\n          plugin "x" could not be set up',
    );
  });
});
