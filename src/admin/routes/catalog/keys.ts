import { reloadLimitMs } from '../../api-types.ts';
import { keysOf } from '../../views/keys.ts';
import { pageIn, pageParameters } from '../page.ts';
import { type AdminRoute, flagIn } from '../route.ts';

/** Imported with the first change, because it contains the YAML reader. */
const changes = async () => (await import('./key-changes.ts')).keyChanges;

const returns = '`KeyChange`: the secret is returned only once; with `written_to: null`, add `yaml` to the configuration yourself';

export const keyRoutes: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/api/keys',
    role: 'operator',
    about: 'The API keys, one page at a time: permissions, limits, last use and cost of each. Secrets are never returned.',
    query: {
      ...pageParameters('keys', 'words that the name, a secret (id or prefix), a permission, the state or the file of a key must contain'),
      usage: '`false`: without last use, requests and cost, and without waiting for the request log',
    },
    returns: '`KeyPage`',
    handle: async ({ subject, query }) => ({
      json: await keysOf(subject, { ...pageIn(query), withUsage: flagIn(query, 'usage', true) }),
    }),
  },
  {
    method: 'POST',
    path: '/api/keys',
    role: 'admin',
    about: 'Issues an API key, and writes it to a new file in the included directory for keys, if the configuration has one.',
    body: {
      name: 'name of the key',
      configs: 'list of configs that it may use; default: all',
      providers: 'list of providers that it may use; default: all',
      models: 'list of models that it may use; default: all',
      prompts: 'list of prompts that it may use; default: all',
      default_config: 'config for requests that name no config and no provider',
      enforce_config: 'true: the gateway rejects every other choice',
      limits:
        'limits as in the configuration: `{"rate": "60/min", "tokens": "200k/min", "budget": "50USD/month", "concurrency": 20}`, each optional; default: none',
      metadata: 'object of strings, added to the records of its requests',
      expires: 'a duration such as `90d`, or a date',
      test: 'true: issues a `gw_test_` key',
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
    body: { overlap: 'how long the previous secret works; default: `24h`' },
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
