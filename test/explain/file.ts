import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Explanation } from '../../src/core/logs/explanation.ts';
import { type RunResult, runHere } from '../cli/in-process.ts';

/** A configuration in a temporary folder, and `gateway explain` in it. */
export interface ExplainFile {
  readonly dir: string;
  text(...args: string[]): Promise<RunResult>;
  explain(...args: string[]): Promise<Explanation>;
  close(): Promise<void>;
}

export async function explainFile(yaml: string, env: Readonly<Record<string, string>> = {}): Promise<ExplainFile> {
  const dir = await mkdtemp(join(tmpdir(), 'gateway-explain-'));
  await writeFile(join(dir, 'gateway.yaml'), yaml);
  const text = (...args: string[]): Promise<RunResult> => runHere(['explain', ...args], dir, { env });
  return {
    dir,
    text,
    explain: async (...args) => {
      const { out, err } = await text('--json', ...args);
      if (out === '') throw new Error(err);
      return JSON.parse(out) as Explanation;
    },
    close: () => rm(dir, { recursive: true, force: true }),
  };
}
