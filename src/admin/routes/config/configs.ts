import { resolve } from 'node:path';
import { formatPath } from '../../../config/read/node.ts';
import type { ConfigPage, ConfigView } from '../../api-types.ts';
import { liveOf, treeOf } from '../../views/config-tree.ts';
import { pageOf } from '../../views/page.ts';
import { snippetAt } from '../../views/snippet.ts';
import { notFound } from '../not-found.ts';
import { pageIn, pageParameters } from '../page.ts';
import type { AdminCall, AdminRoute } from '../route.ts';

export const configRoutes: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/api/configs',
    role: 'viewer',
    about: 'The named configs, one page at a time, with the figures of the attempts of the last hour.',
    query: pageParameters('configs', 'words that the name of a config must contain'),
    returns: '`ConfigPage`',
    handle: async (call) => ({ json: await configsOf(call) }),
  },
  {
    method: 'GET',
    path: '/api/configs/{name}',
    role: 'viewer',
    about: 'One named config as its tree of targets, with its YAML and the attempts of the last hour.',
    returns: '`ConfigView`',
    handle: async (call) => ({ json: await configOf(call) }),
  },
];

async function configsOf({ subject, query }: AdminCall): Promise<ConfigPage> {
  await subject.refreshWorkerFigures();
  const { entries, page } = pageOf([...subject.snapshot().configs], pageIn(query), ([name]) => name);
  const configs = entries.map(([name, config]) => ({ name, live: liveOf(name, config, (paths) => subject.attempts(paths)) }));
  return { configs, ...page };
}

async function configOf({ subject, params }: AdminCall): Promise<ConfigView> {
  const name = params['name'] ?? '';
  const { locations } = await subject.written();
  await subject.refreshWorkerFigures();
  const { configs } = subject.snapshot();
  const config = configs.get(name);
  if (config === undefined) throw notFound('config', name, [...configs.keys()]);
  const { tree, texts } = subject.loaded();
  const mask = subject.mask();
  const at = locations[formatPath(['configs', name])] ?? null;
  const lines = at === null ? [] : (texts[resolve(subject.cwd, at.file)] ?? '').split('\n');
  return {
    name,
    at,
    yaml: at === null ? '' : mask.text(snippetAt(lines, at.line)),
    root: treeOf(name, config, { configs: tree.configs ?? {}, locations, figures: (paths) => subject.attempts(paths), hide: mask.text }),
  };
}
