import { describe, expect, it } from 'vitest';
import type { Overridden } from '../check/context.ts';
import { runSteps } from '../../core/async/steps.ts';
import { changedKeys, changeSteps, restartKeys } from './diff.ts';
import type { GatewayConfig } from '../schema/index.ts';

type ConfigTree = Omit<GatewayConfig, 'version'>;
const a = { type: 'openai', api_key: 'secret-a' };
const b = { type: 'openai', api_key: 'secret-b' };

const cases: readonly (readonly [
  what: string,
  before: ConfigTree,
  after: ConfigTree,
  changes: readonly string[],
  restart: readonly string[],
])[] = [
  ['no change', { providers: { a } }, { providers: { a: { ...a } } }, [], []],
  ['no change for another order of a map', { providers: { a, b } }, { providers: { b, a } }, [], []],
  [
    'a new, a changed and a removed entry',
    { providers: { a, b } },
    { providers: { b: a, c: a } },
    ['-providers.a', '~providers.b', '+providers.c'],
    [],
  ],
  ['a new section', {}, { configs: { x: { provider: 'a' } }, api_keys: {} }, ['+configs.x'], []],
  [
    'a change deep inside a config',
    { configs: { x: { targets: ['a', 'b'] } } },
    { configs: { x: { targets: ['b', 'a'] } } },
    ['~configs.x'],
    [],
  ],
  [
    'server settings by key',
    { server: { max_body: '1MB' } },
    { server: { max_body: '2MB', open: true } },
    ['~server.max_body', '+server.open'],
    [],
  ],
  [
    'keys that need a restart',
    { server: { listen: '127.0.0.1:1' } },
    { server: { listen: '127.0.0.1:2', state_dir: 'memory', expose_routing: false } },
    ['+server.expose_routing'],
    ['server.listen', 'server.state_dir'],
  ],
  [
    'a restart to disable the dashboard',
    { server: { admin: { open: true } } },
    { server: { admin: { enabled: false } } },
    ['~server.admin'],
    ['server.admin.enabled'],
  ],
  ['no restart for an explicit default', {}, { server: { admin: { enabled: true } } }, ['+server.admin'], []],
  ['the plugin chain', { plugins: ['auth', 'routing'] }, { plugins: ['routing', 'auth'] }, ['~plugins'], []],
  ['the log level', {}, { logging: { level: 'debug' } }, ['+logging.level'], []],
  [
    'a restart for another store of records',
    { logging: { requests: { retention: { age: '1d' } } } },
    { logging: { requests: { retention: { age: '2d' }, store: 'postgres://:secret@db/logs' } } },
    ['~logging.requests'],
    ['logging.requests.store'],
  ],
  ['a restart to store records', { logging: { requests: 'off' } }, {}, ['-logging.requests'], ['logging.requests']],
];

describe('a comparison of two configurations', () => {
  it.each(cases)('reports %s', (_name, old, now, changes, restart) => {
    const [before, after] = [
      { version: 1 as const, ...old },
      { version: 1 as const, ...now },
    ];
    const found = { changes: changedKeys(runSteps(changeSteps(before, after))), restart: restartKeys(before, after) };
    expect(found).toEqual({ changes, restart });
    expect(JSON.stringify(found)).not.toContain('secret');
  });

  it('reports no restart for keys that flags override', () => {
    const after = { listen: '127.0.0.1:2', workers: 2, state_dir: 'memory', admin: { listen: '127.0.0.1:3', enabled: false } };
    const restart = (...overridden: readonly Overridden[]) => restartKeys({ version: 1 }, { version: 1, server: after }, overridden);
    expect(restart('listen', 'workers', 'admin.listen')).toEqual(['server.state_dir', 'server.admin.enabled']);
    expect(restart('state_dir', 'admin.enabled')).toEqual(['server.listen', 'server.workers', 'server.admin.listen']);
  });
});
