import { expect, it } from 'vitest';
import type { Explanation } from '../../core/logs/explanation.ts';
import { explanationText } from './text.ts';

it('shows the whole URL on one line, however narrow the terminal is, and the cache of the target', () => {
  const url = `https://contoso-eu.example.com/openai/deployments/${'chat-'.repeat(20)}/chat/completions?api-version=2024-10-21`;
  const target = {
    provider: 'main',
    model: 'm',
    target: '',
    at: null,
    problem: null,
    local: false,
    url,
    method: 'POST',
    headers: [],
    differences: [],
    body: null,
    retry: 'none',
    cache: 'used for 60s',
    circuit: null,
    timeouts: {},
    cost_usd: null,
    goes_here: true,
    left_on: '',
  };
  const explanation = {
    request: { method: 'POST', path: '/v1/chat/completions' },
    key: { name: null },
    limits: null,
    prompt: null,
    config: null,
    overruled: [],
    route: [],
    targets: [target],
    removed_headers: [],
    plugins: [],
    warnings: [],
    log: { bodies: 'redacted', at: null },
    answer: null,
  };
  const lines = explanationText(explanation as unknown as Explanation, 40).split('\n');
  expect(lines).toContain(`  url      POST ${url}`);
  expect(lines).toContain('  cache    used for 60s');
});
