import { join } from 'node:path';
import { failure, installed, orSkip } from './installed.ts';

const defaultRequirements = new URL('python-requirements.txt', import.meta.url).pathname;
const installer = new URL('python-installer.txt', import.meta.url).pathname;

/** A Python with the client libraries, or the reason why there is none. */
export type Python = { readonly python: string } | { readonly missing: string };

/**
 * Returns the Python of GATEWAY_TEST_PYTHON, or a virtual environment with the libraries of `python-requirements.txt`.
 * @throws Error under GATEWAY_TEST_STRICT if there is none
 */
export function findPython(): Python {
  const configured = process.env.GATEWAY_TEST_PYTHON;
  return configured !== undefined && configured !== '' ? { python: configured } : pythonWith('python', defaultRequirements);
}

/**
 * Returns a virtual environment with the packages of a requirements file.
 * @throws Error under GATEWAY_TEST_STRICT if it cannot be created
 */
export function pythonWith(name: string, requirements: string): Python {
  const install = installed(name, requirements, (folder) => {
    const uv = installed('uv', installer, (tools) => {
      return failure('python3', ['-m', 'venv', tools]) ?? failure(join(tools, 'bin/python'), [...pip, '-r', installer]);
    });
    if ('missing' in uv) return uv.missing;
    const python = join(folder, 'bin/python');
    return (
      failure(join(uv.folder, 'bin/uv'), [...venv, folder]) ??
      failure(join(uv.folder, 'bin/uv'), ['pip', 'install', '--quiet', '--python', python, '-r', requirements])
    );
  });
  return orSkip('Python client libraries', 'missing' in install ? install : { python: join(install.folder, 'bin/python') });
}

// Relocatable, because the folder is renamed after it is filled.
const venv = ['venv', '--quiet', '--relocatable', '--allow-existing', '--no-python-downloads', '--python', 'python3'];
const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
