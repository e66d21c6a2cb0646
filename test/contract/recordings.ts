import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Recorded provider traffic is next to the repository, not in it. */
const folder = join(import.meta.dirname, '../../../shared/data/recorded');

export const haveRecordings = existsSync(folder);

/** The part of a recording that the tests read. */
export interface Recording {
  readonly id: string;
  readonly provider: string;
  readonly api: string;
  readonly stream: boolean;
  readonly features: readonly string[];
  readonly request: { readonly method: string; readonly url: string; readonly body?: Record<string, unknown> };
  readonly response: { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body?: string };
}

/** All recordings of some providers; none if the folder does not exist. */
export function recordings(providers: readonly string[]): readonly Recording[] {
  if (!haveRecordings) return [];
  return providers.flatMap((provider) =>
    readFileSync(join(folder, `${provider}.jsonl`), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Recording),
  );
}
