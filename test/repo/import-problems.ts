import { closedToPlugins, folderRules, sharedProviderFolders, wrappers } from './import-rules.ts';
import { type Import, packageOf, within } from './tree.ts';

const nodeHttp = 'src/core/node-http.ts';

/** Why an import is not allowed, or undefined. */
export function importProblem(entry: Import): string | undefined {
  return wrapperProblem(entry) ?? costlyProblem(entry) ?? folderProblem(entry) ?? pluginProblem(entry) ?? entryPointProblem(entry);
}

function wrapperProblem({ file, target, isOwn, typeOnly }: Import): string | undefined {
  const allowed = isOwn ? undefined : wrappers[packageOf(target)];
  if (allowed === undefined || allowed.some((folder) => within(file, folder))) return undefined;
  return `${file} imports ${target}${typeOnly ? ' (types)' : ''}: only ${allowed.join(', ')} may`;
}

function costlyProblem({ file, target, typeOnly }: Import): string | undefined {
  if (typeOnly || target !== 'node:http' || file === nodeHttp) return undefined;
  return `${file} imports ${target}: take it from ${nodeHttp}, which says why`;
}

function folderProblem({ file, target, isOwn }: Import): string | undefined {
  const rule = folderRules.find((row) => within(file, row.from));
  if (rule === undefined || !isOwn || rule.to.some((folder) => within(target, folder))) return undefined;
  return `${file} imports ${target}: ${rule.from} may reach only ${rule.to.join(', ')}`;
}

/** The folder that is one plugin: `plugins/auth`, `plugins/providers/mock`; undefined for the registry itself. */
function pluginFolder(file: string): string | undefined {
  const parts = file.split('/');
  const depth = parts[1] === 'providers' ? 3 : 2;
  return parts[0] === 'plugins' && parts.length > depth ? parts.slice(0, depth).join('/') : undefined;
}

function pluginProblem({ file, target, isOwn }: Import): string | undefined {
  const folder = pluginFolder(file);
  if (folder === undefined) return undefined;
  if (!isOwn) {
    const name = target.replace(/^node:/, '');
    return (closedToPlugins.modules as readonly string[]).includes(name)
      ? `${file} imports ${target}: plugins have no such access`
      : undefined;
  }
  const ofProviders = within(folder, 'plugins/providers') ? ['src/formats', ...sharedProviderFolders] : [];
  const allowed = ['src/core', folder, ...ofProviders];
  return allowed.some((folder) => within(target, folder))
    ? undefined
    : `${file} imports ${target}: a plugin may reach only ${allowed.join(', ')}`;
}

/** Nobody imports the command line but the entry points, and nobody imports `main`. */
function entryPointProblem({ file, target, isOwn }: Import): string | undefined {
  if (!isOwn || within(file, 'src/cli')) return undefined;
  if (target === 'src/main.ts') return `${file} imports src/main.ts, which nobody may`;
  if (within(target, 'src/cli') && file !== 'src/main.ts') return `${file} imports ${target}: only src/main.ts reaches src/cli`;
  return undefined;
}
