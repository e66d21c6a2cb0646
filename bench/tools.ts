import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { output } from './processes.ts';
import { type Load, pacing } from './result.ts';

/** Commands for the upstream and the load client. */
export interface Tools {
  readonly name: string;
  upstream(port: number): readonly string[];
  load(load: Load): readonly string[];
}

const here = dirname(fileURLToPath(import.meta.url));
const goSources = join(here, '../../shared/tools/bench');

/**
 * Returns the Go tools, built into `folder`, if Go and their sources exist next to the checkout; otherwise the Node tools, which
 * use more CPU time themselves.
 */
export async function findTools(folder: string): Promise<Tools> {
  if (!existsSync(goSources)) return nodeTools;
  try {
    await output(['go', 'build', '-o', `${folder}/`, './mock-upstream', './loadgen'], goSources);
    return goTools(folder);
  } catch (error) {
    console.error(`The Go tools can't be built, using our own: ${(error as Error).message.slice(0, 300)}`);
    return nodeTools;
  }
}

const goTools = (folder: string): Tools => ({
  name: 'go',
  upstream: (port) => [
    join(folder, 'mock-upstream'),
    '-addr',
    `127.0.0.1:${port}`,
    '-life',
    '90m',
    '-chunks',
    String(pacing.chunks),
    '-chunk-delay',
    `${pacing.delayMs}ms`,
  ],
  load: (load) => [
    join(folder, 'loadgen'),
    '-url',
    load.url,
    '-key',
    load.key,
    '-model',
    load.model,
    '-conns',
    String(load.conns),
    '-duration',
    `${load.durationMs}ms`,
    ...(load.stream ? ['-stream'] : []),
    ...optional('-rate', load.rate),
    ...optional('-requests', load.requests),
    ...optional('-image-bytes', load.imageBytes),
    ...optional('-body', load.bodyFile),
    ...Object.entries(load.headers ?? {}).flatMap(([name, value]) => ['-header', `${name}: ${value}`]),
  ],
});

const optional = (flag: string, value: number | string | undefined): string[] => (value === undefined ? [] : [flag, String(value)]);

export const nodeTools: Tools = {
  name: 'node',
  upstream: (port) => [process.execPath, join(here, 'node-upstream.ts'), String(port)],
  load: (load) => [process.execPath, join(here, 'node-load.ts'), JSON.stringify(load)],
};
