import { describe, expect, it } from 'vitest';
import { runSteps } from '../../core/async/steps.ts';
import { createMask } from '../../core/secrets/mask.ts';
import type { GatewayConfig } from '../schema/index.ts';
import { changeSteps } from './diff.ts';
import { valueChangeSteps } from './value-changes.ts';

type ConfigTree = Omit<GatewayConfig, 'version'>;
const longText = 'x'.repeat(300);

const cases: readonly (readonly [
  what: string,
  before: ConfigTree,
  after: ConfigTree,
  values: readonly (readonly [path: string, before: string | null, after: string | null])[],
])[] = [
  ['nothing for equal files', { plugins: ['auth'] }, { plugins: ['auth'] }, []],
  [
    'a value deep inside a config, and a new target',
    { configs: { x: { targets: [{ provider: 'a', override_params: { temperature: 0.9 } }] } } },
    { configs: { x: { targets: [{ provider: 'a', override_params: { temperature: 0.2 } }, { provider: 'b' }] } } },
    [
      ['configs.x.targets[0].override_params.temperature', '0.9', '0.2'],
      ['configs.x.targets[1]', null, '{"provider":"b"}'],
    ],
  ],
  [
    'a moved target',
    { configs: { x: { targets: ['a', 'b'] } } },
    { configs: { x: { targets: ['b', 'a'] } } },
    [
      ['configs.x.targets[0]', 'a', null],
      ['configs.x.targets[1]', null, 'a'],
    ],
  ],
  [
    'a new and a removed entry, also one whose name is like that of a secret',
    { providers: { token: { type: 'mock' } } },
    { providers: { 'a.b': { type: 'mock' } } },
    [
      ['providers.token', '{"type":"mock"}', null],
      ['providers."a.b"', null, '{"type":"mock"}'],
    ],
  ],
  [
    'no secret',
    { providers: { a: { type: 'openai', api_key: 'short' }, b: { type: 'openai', custom_host: 'https://h/v1?sig=first' } } },
    {
      providers: {
        a: { type: 'openai', api_key: 'other' },
        b: { type: 'openai', custom_host: 'https://h/v1?sig=not-yet-known' },
        c: { type: 'openai', api_key: 'third', custom_host: 'https://known-secret' },
      },
    },
    [
      ['providers.a.api_key', '***', '***'],
      ['providers.b.custom_host', 'https://h/v1?sig=…', 'https://h/v1?sig=…'],
      ['providers.c', null, '{"type":"openai","api_key":"***","custom_host":"https://***"}'],
    ],
  ],
  [
    'no header of a tool server',
    {},
    { configs: { x: { provider: 'a', override_params: { tools: [{ headers: { 'x-any': 'value' } }] } } } },
    [['configs.x', null, '{"provider":"a","override_params":{"tools":[{"headers":"***"}]}}']],
  ],
  [
    'the beginning of a long value',
    { prompts: { p: { description: longText } } },
    { prompts: { p: { description: `${longText}y` } } },
    [['prompts.p.description', `${longText.slice(0, 200)}…`, `${longText.slice(0, 200)}…`]],
  ],
];

describe('the values that differ between two configurations', () => {
  it.each(cases)('contain %s', (_name, before, after, values) => {
    const entries = runSteps(changeSteps({ version: 1, ...before }, { version: 1, ...after }));
    const found = runSteps(valueChangeSteps(entries, createMask(['known-secret'])));
    expect(found.map(({ path, ...one }) => [path, one.before, one.after])).toEqual(values);
  });
});
