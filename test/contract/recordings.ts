import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Recorded provider traffic lies beside the repository; it is not part of it. */
const folder = join(import.meta.dirname, '../../../shared/data/recorded');

export const haveRecordings = existsSync(folder);

/** One exchange, as far as the tests read it. */
export interface Recording {
  readonly id: string;
  readonly provider: string;
  readonly api: string;
  readonly stream: boolean;
  readonly features: readonly string[];
  readonly request: { readonly method: string; readonly url: string; readonly body?: Record<string, unknown> };
  readonly response: { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body?: string };
}

/** All exchanges of some providers; none where the folder is absent. */
export function recordings(providers: readonly string[]): readonly Recording[] {
  if (!haveRecordings) return [];
  return providers.flatMap((provider) =>
    readFileSync(join(folder, `${provider}.jsonl`), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Recording),
  );
}
