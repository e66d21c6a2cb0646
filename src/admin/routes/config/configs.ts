import { resolve } from 'node:path';
import { formatPath } from '../../../config/read/node.ts';
import type { ConfigView } from '../../api-types.ts';
import type { AttemptFigures } from '../../attempts.ts';
import { treeOf } from '../../views/config-tree.ts';
import { snippetAt } from '../../views/snippet.ts';
import type { AdminCall, AdminRoute } from '../route.ts';

export const configRoutes: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/api/configs',
    role: 'viewer',
    about: 'Each named config as its tree of targets, with its YAML and the attempts of the last hour.',
    returns: '`ConfigView[]`',
    handle: async (call) => ({ json: await configsOf(call) }),
  },
];

async function configsOf({ subject }: AdminCall): Promise<readonly ConfigView[]> {
  const { configs } = subject.snapshot();
  const { tree, texts } = subject.loaded();
  const { locations } = await subject.written();
  await subject.refreshWorkerFigures();
  const live = (paths: readonly string[]): AttemptFigures => subject.attempts(paths);
  const mask = subject.mask();
  const split = new Map<string, readonly string[]>();
  const linesOf = (file: string): readonly string[] => {
    const lines = split.get(file) ?? (texts[resolve(subject.cwd, file)] ?? '').split('\n');
    split.set(file, lines);
    return lines;
  };
  return [...configs].map(([name, config]) => {
    const at = locations[formatPath(['configs', name])] ?? null;
    return {
      name,
      at,
      yaml: at === null ? '' : mask.text(snippetAt(linesOf(at.file), at.line)),
      root: treeOf(name, config, { configs: tree.configs ?? {}, locations, live, hide: mask.text }),
    };
  });
}
