import { dirname, isAbsolute, relative, sep } from 'node:path';

/** Returns a path for display: `./gateway.yaml` if it is below the working directory, which for a service is often the root. */
export function displayPath(path: string, cwd: string): string {
  if (dirname(cwd) === cwd) return path;
  const short = relative(cwd, path);
  return short === '' || isAbsolute(short) || short === '..' || short.startsWith(`..${sep}`) ? path : `.${sep}${short}`;
}

/** The same without the `./`. */
export const barePath = (path: string, cwd: string): string => displayPath(path, cwd).replace(/^\.[/\\]/, '');
