import { reloadLimitMs } from '../../api-types.ts';
import { keysOf } from '../../views/keys.ts';
import type { AdminRoute } from '../route.ts';

/** Imported with the first change, because it contains the YAML reader. */
const changes = async () => (await import('./key-changes.ts')).keyChanges;

const returns = '`KeyChange`: the secret is shown once; `written_to: null` means that `yaml` has to be pasted';

export const keyRoutes: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/api/keys',
    role: 'operator',
    about: 'The API keys: what each may use, when it was used, and what it cost. Never a secret.',
    returns: '`KeyView[]`',
    handle: async ({ subject }) => ({ json: await keysOf(subject) }),
  },
  {
    method: 'POST',
    path: '/api/keys',
    role: 'admin',
    about: 'Issues an API key, and writes it to the included directory for keys where there is one.',
    body: {
      name: 'name of the key',
      configs: 'list of configs that it may use; without it: all',
      providers: 'list of providers, likewise',
      models: 'list of models, likewise',
      prompts: 'list of prompts, likewise',
      default_config: 'config for requests that name no config and no provider',
      enforce_config: 'true: every other choice is rejected',
      metadata: 'object of texts for the records of its requests',
      expires: 'a duration such as `90d`, or a date',
      test: 'true: a gw_test_ key',
    },
    returns,
    limitMs: reloadLimitMs,
    handle: async (call) => (await changes()).create(call),
  },
  {
    method: 'POST',
    path: '/api/keys/{name}/rotate',
    role: 'admin',
    about: 'Issues a new secret; the previous one works until the overlap ends.',
    body: { overlap: 'a duration, default `24h`' },
    returns,
    limitMs: reloadLimitMs,
    handle: async (call) => (await changes()).rotate(call),
  },
  {
    method: 'POST',
    path: '/api/keys/{name}/revoke',
    role: 'admin',
    about: 'Revokes a key: the gateway rejects all its secrets from now on.',
    returns,
    limitMs: reloadLimitMs,
    handle: async (call) => (await changes()).revoke(call),
  },
];
