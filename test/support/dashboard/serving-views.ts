import type { ConfigView, KeyView, PromptView, ProviderView, TargetView } from '../../../src/admin/api-types.ts';
import type { Explanation } from '../../../src/core/logs/explanation.ts';
import { figuresOf } from './figures.ts';
import { emptyServing, type Serving } from './serving.ts';
import { sampleConfig, sampleFiles, sampleRevisions } from './serving-files.ts';

const file = 'configs/support.yaml';
const idle: TargetView['live'] = { share: null, requests: 0, errors: 0, left_out: 0, p95: null };
const leaf = (path: string, line: number, extra: Partial<TargetView>): TargetView => ({
  path,
  name: null,
  at: { file, line },
  strategy: 'leaf',
  when: null,
  weight: null,
  provider: null,
  model: null,
  targets: [],
  live: idle,
  ...extra,
});

const supportRoot = leaf('configs.support', 2, {
  strategy: 'fallback',
  live: { share: 1, requests: 412, errors: 6, left_out: 12, p95: 2140 },
  targets: [
    leaf('configs.support.targets[0]', 7, {
      provider: 'openai-main',
      model: 'gpt-4o-mini',
      when: 'first',
      live: { share: 0.92, requests: 379, errors: 4, left_out: 12, p95: 1810 },
    }),
    leaf('configs.support.targets[1]', 11, {
      provider: 'azure-eu',
      model: 'gpt-4o-mini',
      when: 'on 429, 500, 502, 503, 504',
      live: { share: 0.08, requests: 33, errors: 2, left_out: 0, p95: 3920 },
    }),
  ],
});

const byPlan = leaf('configs.by-plan', 2, {
  strategy: 'conditional',
  at: { file: 'configs/by-plan.yaml', line: 2 },
  targets: [
    leaf('configs.by-plan.targets[0]', 12, {
      name: 'big',
      provider: 'claude',
      model: 'claude-opus-4-5',
      when: '{"metadata.plan":{"$eq":"paid"}}',
    }),
    leaf('configs.by-plan.targets[1]', 13, {
      name: 'small',
      when: 'default',
      strategy: 'loadbalance',
      targets: [
        leaf('configs.by-plan.targets[1].targets[0]', 14, { provider: 'openai-main', when: '70 %', weight: 0.7 }),
        leaf('configs.by-plan.targets[1].targets[1]', 15, { when: '30 %', weight: 0.3 }),
      ],
    }),
  ],
});

const configs: readonly ConfigView[] = [
  { name: 'support', at: { file, line: 2 }, yaml: sampleFiles[1].text.split('\n').slice(1).join('\n'), root: supportRoot },
  { name: 'by-plan', at: { file: 'configs/by-plan.yaml', line: 2 }, yaml: 'by-plan:\n  strategy:\n    mode: conditional\n', root: byPlan },
];

const figures = { ...figuresOf([]), requests: 120, errors: 2, p50: 640, p95: 1810 };

function provider(slug: string, extra: Partial<ProviderView>): ProviderView {
  return {
    slug,
    type: 'openai',
    name: null,
    description: null,
    at: { file: 'gateway.yaml', line: 9 },
    host: 'api.openai.com',
    enabled: true,
    problem: null,
    credential: '${env:OPENAI_API_KEY}',
    models: [],
    deployments: [],
    health: { slug, state: 'ok', figures, last_error: null },
    cost_today_usd: '1.204318',
    log_fault: null,
    ...extra,
  };
}

const providers = (now: number): readonly ProviderView[] => [
  provider('openai-main', { models: ['gpt-4o-mini', 'gpt-4o'] }),
  provider('azure-eu', {
    type: 'azure-openai',
    name: 'Azure OpenAI, Europe',
    description: 'Chat and images for the EU apps',
    host: 'contoso-eu.openai.azure.com',
    credential: '${env:AZURE_KEY}',
    deployments: [
      { alias: 'gpt-4o-mini', deployment: 'chat-mini', foundation_model: 'gpt-4o-mini' },
      { alias: 'image', deployment: 'img1', foundation_model: null },
    ],
    health: {
      slug: 'azure-eu',
      state: 'degraded',
      figures: { ...figures, errors: 30 },
      last_error: { at: now - 42_000, message: 'azure-eu responded with 500 ("backend error").', id: 'req_01JD3K8ZQ4M6N7P8R9S0000001' },
    },
  }),
  provider('claude', {
    type: 'anthropic',
    host: 'api.anthropic.com',
    enabled: false,
    problem: 'ANTHROPIC_API_KEY is not set',
    credential: '${env:ANTHROPIC_API_KEY}',
    health: { slug: 'claude', state: 'off', figures: figuresOf([]), last_error: null },
    cost_today_usd: '0',
    log_fault: null,
  }),
];

const variables: PromptView['variables'] = [
  { name: 'product', required: true, default: null },
  { name: 'tone', required: false, default: 'friendly' },
  { name: 'question', required: false, default: null },
];

const prompts: readonly PromptView[] = [
  {
    id: 'welcome',
    description: 'First words to a new customer',
    at: { file: 'configs/prompts/welcome.yaml', line: 2 },
    versions: [
      { number: 1, labels: ['production'], published: false, variables: variables.slice(0, 1) },
      { number: 2, labels: ['canary', 'latest'], published: true, variables },
    ],
    variables,
    model: '@openai-main/gpt-4o-mini',
    config: 'support',
  },
  {
    id: 'summary',
    description: null,
    at: null,
    versions: [{ number: 1, labels: [], published: true, variables: [] }],
    variables: [],
    model: null,
    config: null,
  },
];

const keys = (now: number): readonly KeyView[] => [
  {
    name: 'app-web',
    at: { file: 'keys.d/app-web.yaml', line: 2 },
    secrets: [
      { id: 'k2', prefix: 'gw_live_9f2c', last_used: now - 8000, retires: null },
      { id: 'k1', prefix: 'gw_live_41ab', last_used: now - 7_200_000, retires: now + 50_000_000 },
    ],
    configs: ['support', 'draft'],
    providers: ['openai-main', 'azure-eu'],
    models: ['gpt-4o*'],
    prompts: null,
    default_config: 'support',
    enforce_config: false,
    bodies: 'metadata',
    limits: {
      rate: { max: 60, unit: 'minute', used: 12 },
      tokens: { max: 200_000, unit: 'minute', used: 168_400 },
      budget: { usd: '50', period: 'month', spent_usd: '3.102944', renews: Date.UTC(2027, 0) },
      concurrency: 20,
    },
    created: now - 30 * 86_400_000,
    expires: now + 90 * 86_400_000,
    revoked: null,
    requests_today: 1204,
    cost_month_usd: '3.102944',
    log_fault: null,
  },
  {
    name: 'batch',
    at: { file: 'keys.d/batch.yaml', line: 2 },
    secrets: [{ id: 'k1', prefix: 'gw_live_77aa', last_used: null, retires: null }],
    configs: null,
    providers: null,
    models: null,
    prompts: ['welcome'],
    default_config: null,
    enforce_config: false,
    bodies: null,
    limits: {
      rate: { max: 5, unit: 'second', used: null },
      tokens: null,
      budget: { usd: '0.5', period: 'day', spent_usd: '0.5000012', renews: now + 3_600_000 },
      concurrency: null,
    },
    created: null,
    expires: now + 3 * 86_400_000,
    revoked: null,
    requests_today: 0,
    cost_month_usd: '0',
    log_fault: null,
  },
  {
    name: 'old-job',
    at: { file: 'gateway.yaml', line: 40 },
    secrets: [{ id: 'k1', prefix: null, last_used: now - 41 * 86_400_000, retires: null }],
    configs: [],
    providers: null,
    models: null,
    prompts: null,
    default_config: null,
    enforce_config: false,
    bodies: null,
    limits: null,
    created: null,
    expires: null,
    revoked: now - 40 * 86_400_000,
    requests_today: 0,
    cost_month_usd: '0',
    log_fault: null,
  },
];

const explanation: Explanation = {
  request: { method: 'POST', path: '/v1/chat/completions', endpoint: 'chat/completions' },
  key: { name: 'app-web', at: { file: 'keys.d/app-web.yaml', line: 2 } },
  limits: {
    rate: { max: 60, unit: 'minute' },
    tokens: null,
    budget: { usd: '50', period: 'month' },
    concurrency: null,
    at: { file: 'keys.d/app-web.yaml', line: 6 },
  },
  prompt: null,
  config: { name: 'by-plan', by: 'x-gateway-config', at: { file: 'configs/by-plan.yaml', line: 2 } },
  overruled: [],
  route: [
    {
      node: 'configs.by-plan',
      strategy: 'conditional',
      at: { file: 'configs/by-plan.yaml', line: 3 },
      conditions: [
        { text: 'metadata.plan = "paid"', matched: false, why: 'metadata.plan is absent', at: { file: 'configs/by-plan.yaml', line: 5 } },
        {
          text: 'params.max_tokens > 4000',
          matched: true,
          why: 'params.max_tokens is 8000',
          at: { file: 'configs/by-plan.yaml', line: 6 },
        },
      ],
      chose: 0,
      weights: [],
      because: 'condition 2 matches: target "big"',
    },
  ],
  targets: [
    {
      target: 'configs.by-plan.targets[0]',
      at: { file: 'configs/by-plan.yaml', line: 12 },
      provider: 'openai-main',
      type: 'openai',
      model: 'gpt-4o-mini',
      deployment: null,
      left_on: '429, 500, 502, 503, 504',
      goes_here: true,
      local: false,
      url: 'https://api.openai.com/v1/chat/completions',
      method: 'POST',
      headers: [['authorization', 'Bearer ${env:OPENAI_API_KEY}']],
      credential_headers: ['authorization'],
      body: '{"model":"gpt-4o-mini","temperature":0.2}',
      differences: [
        { path: 'temperature', kind: 'changed', before: '0.9', after: '0.2', cause: 'override_params', at: { file, line: 10 } },
        { path: 'logit_bias', kind: 'removed', before: '{}', cause: 'not known to this provider', at: null },
      ],
      retry: '2 attempts on 429, 503',
      cache: null,
      circuit: null,
      timeouts: { request: '120 s' },
      cost_usd: '0.0000123',
      problem: null,
    },
  ],
  plugins: [{ name: 'auth', moment: 'admit', said: 'API key "app-web"' }],
  removed_headers: [{ name: 'x-gateway-config', why: 'read by the gateway' }],
  warnings: [],
  log: { bodies: 'redacted', at: null },
  answer: null,
};

/** A typical gateway with two configs, three providers, two prompts and three keys. */
export const someServing = (now: number): Serving => ({
  ...emptyServing(),
  revisions: sampleRevisions(now),
  config: sampleConfig,
  configs,
  providers: providers(now),
  prompts,
  keys: keys(now),
  explanation,
  keyChange: {
    secret: 'gw_live_9f2cQ7h0Zk3vJm8tXw1bRn5s_4K7d',
    yaml: 'api_keys:\n  ci:\n    hash: sha256:9a1f0000\n    prefix: gw_live_9f2c\n',
    written_to: 'keys.d/ci.yaml',
    rejected: null,
  },
  render: ({ product, tone = 'friendly', question = '' }) => ({
    name: 'welcome@2',
    config: 'support',
    body: JSON.stringify({
      model: '@openai-main/gpt-4o-mini',
      messages: [
        { role: 'system', content: `You greet customers of ${product ?? ''} in a ${tone} tone.` },
        { role: 'user', content: question },
      ],
    }),
    warnings: product === undefined ? ['"product" is required and has no value'] : [],
  }),
  tried: {
    status: 200,
    id: 'req_01JD3K8ZQ4M6N7P8R9S0000001',
    cost_usd: '0.0000123',
    body: JSON.stringify({
      choices: [{ message: { role: 'assistant', content: 'Welcome to Kite!' } }],
      usage: { prompt_tokens: 20, completion_tokens: 5 },
    }),
  },
});

const longName = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(4);
const hostileText = `<img src=x onerror=alert(1)> ${longName} \u202Eright to left`;

/** Extreme values, and very many of them. */
export function absurdServing(now: number): Serving {
  const serving = someServing(now);
  const location = { file: `configs/${longName}.yaml`, line: 987_654 };
  const nestedTarget = (depth: number): TargetView =>
    leaf(`${longName}.${depth}`, depth, {
      name: hostileText,
      at: location,
      when: hostileText,
      strategy: depth === 0 ? 'leaf' : 'fallback',
      provider: depth === 0 ? longName : null,
      model: depth === 0 ? `deployments/${longName}` : null,
      live: { share: 0.000_01, requests: 987_654_321, errors: 987_654_320, left_out: 987_654_321, p95: 987_654_321 },
      targets: depth === 0 ? [] : [nestedTarget(depth - 1)],
    });
  const names = Array.from({ length: 60 }, (_, i) => `${longName}-${i}`);
  const hostileVariables = names.slice(0, 5).map((name) => ({ name, required: true, default: hostileText }));
  return {
    ...serving,
    configs: names.map((name) => ({ name, at: location, yaml: `${name}: ${hostileText}\n`.repeat(50), root: nestedTarget(6) })),
    providers: names.slice(0, 8).map((slug) =>
      provider(slug, {
        name: hostileText,
        description: hostileText,
        host: longName,
        credential: `\${env:${longName}}`,
        problem: hostileText,
        models: names,
        at: location,
        cost_today_usd: '123456789012.123456789123',
        deployments: names.map((alias) => ({ alias, deployment: longName, foundation_model: longName })),
        health: {
          slug,
          state: 'down',
          figures: { ...figures, requests: 987_654_321, p95: 987_654_321 },
          last_error: { at: 0, message: hostileText.repeat(5), id: longName },
        },
      }),
    ),
    prompts: names.map((id) => ({
      id,
      description: hostileText,
      at: location,
      versions: Array.from({ length: 40 }, (_, i) => ({
        number: i + 1,
        labels: [longName, 'production'],
        published: i === 3,
        variables: hostileVariables,
      })),
      variables: hostileVariables,
      model: longName,
      config: longName,
    })),
    keys: keys(now).map((key, i) => ({
      ...key,
      name: `${longName}-${i}`,
      at: location,
      configs: names,
      models: names,
      limits: {
        rate: { max: 999_999_999_999, unit: 'minute', used: 987_654_321_098 },
        tokens: { max: 999_999_999_999, unit: 'second', used: null },
        budget: { usd: '999999999.123456789123', period: 'month', spent_usd: '123456789012.123456789123', renews: now * 2 },
        concurrency: 1_000_000,
      },
      cost_month_usd: '123456789012.123456789123',
      requests_today: 987_654_321,
      secrets: names.slice(0, 6).map((id) => ({ id, prefix: longName, last_used: 0, retires: now * 2 })),
    })),
    config: {
      ...serving.config,
      values: names.map((path) => ({ path, value: hostileText.repeat(10), origin: location })),
      errors: names.length,
      diagnostics: names.map(() => ({
        level: 'error',
        code: 'unknown-key',
        message: hostileText,
        hint: hostileText,
        ...location,
        column: 9,
      })),
    },
    revisions: names.slice(0, 20).map((revision) => ({
      revision,
      applied_at: 0,
      serves: false,
      files: names.slice(0, 20).map((path) => ({ path, modified_at: 0 })),
      changes: names,
      diff: `+${hostileText}\n`.repeat(200),
    })),
    render: () => ({
      name: longName,
      config: null,
      body: JSON.stringify({ messages: [{ role: hostileText, content: hostileText.repeat(20) }] }),
      warnings: [hostileText],
    }),
  };
}
