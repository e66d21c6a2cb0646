import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, output, startProcess } from '../processes.ts';
import type { System } from './system.ts';

const name = '@portkey-ai/gateway';

/** Another gateway, from the registry, with its default configuration; never a dependency. The name includes its version. */
export function portkey(): System {
  let version = '';
  return {
    get name() {
      return `portkey${version}`;
    },
    model: 'mock-1',
    headers: ({ upstream }) => ({ 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `http://127.0.0.1:${upstream}/v1` }),
    async start({ folder }) {
      const home = join(folder, 'portkey');
      mkdirSync(home);
      await output(['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev', '--prefix', home, name]).catch(
        (error: unknown) => {
          throw new Error(`npm can't fetch ${name}: ${(error as Error).message.slice(0, 300)}`);
        },
      );
      const own = join(home, 'node_modules', name);
      version = ` ${(JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as { version: string }).version}`;
      const port = await freePort();
      const command = [process.execPath, join(own, 'build/start-server.js'), '--headless', `--port=${port}`];
      return startProcess(command, port, { NODE_ENV: 'production' }, { log: join(home, 'log') });
    },
  };
}
