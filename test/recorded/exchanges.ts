import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { vendors } from '../../plugins/providers/vendors/index.ts';

/** Recorded provider traffic and the tool that replays it lie beside the repository; they are not part of it. */
const shared = join(import.meta.dirname, '../../../shared');
const folder = join(shared, 'data/recorded');

/** One exchange, as far as the suite reads it. */
export interface Recorded {
  readonly id: string;
  /** The provider type that it was recorded from. */
  readonly provider: string;
  readonly api: string;
  readonly stream: boolean;
  readonly features: readonly string[];
  readonly request: { readonly method: string; readonly url: string; readonly body?: Readonly<Record<string, unknown>> };
  readonly response: { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body?: string };
}

/** A request as the replaying upstream saw it. */
export interface SeenByReplay {
  readonly method: string;
  /** Behind `/x/<id>`, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body_base64: string;
}

export interface Replay {
  readonly url: string;
  seen(id: string): { readonly requests: readonly SeenByReplay[] };
  forget(id?: string): void;
  close(): Promise<void>;
}

/** Operations that this version models; the others are relayed and have a suite of their own. */
const modelled: ReadonlySet<string> = new Set([
  'chat.completions',
  'completions',
  'embeddings',
  'images',
  'moderations',
  'responses',
  'responses.input_tokens',
  'responses.compact',
  'responses.retrieve',
  'responses.cancel',
  'responses.input_items',
  'models',
]);

/** Exchanges that do not come through as they were recorded, by id, each with its reason. They have checks of their own. */
export const exceptions: Readonly<Record<string, { readonly status: number }>> = {
  // An error object under status 200, whose code is content_filter: a fault, never an answer.
  'azure-openai-chat-completions-dce1105859ca': { status: 400 },
};

/** What speaks the client's own format: its bytes pass. */
const types: readonly string[] = ['openai', 'azure-openai', ...vendors.map(({ type }) => type)];

/** Some were recorded without the body of their request: there is nothing to send. */
const canBeAsked = ({ api, request }: Recorded): boolean => modelled.has(api) && (request.method === 'GET' || request.body !== undefined);

/** The exchanges, or why there are none. @throws Error under GATEWAY_TEST_STRICT=1 when the folder is there and can't be read */
export function findExchanges(): { readonly exchanges: readonly Recorded[]; readonly missing: string | undefined } {
  try {
    const names = readdirSync(folder);
    const files = types.filter((name) => names.includes(`${name}.jsonl`));
    const all = files.flatMap((name) => read(join(folder, `${name}.jsonl`)));
    return { exchanges: all.filter(canBeAsked), missing: undefined };
  } catch (error) {
    const absent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!absent && process.env.GATEWAY_TEST_STRICT === '1') throw error;
    return { exchanges: [], missing: absent ? '../shared/data/recorded is absent' : `../shared/data/recorded: ${String(error)}` };
  }
}

function read(file: string): Recorded[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Recorded);
}

/** Starts the replaying upstream with the exchanges of these providers. */
export async function startReplay(): Promise<Replay> {
  const tool = (await import(pathToFileURL(join(shared, 'tools/replay-upstream.mjs')).href)) as {
    startReplay(options: { files: readonly string[]; port: number }): Promise<Replay>;
  };
  return tool.startReplay({ files: types.map((type) => join(folder, `${type}.jsonl`)).filter(existsSync), port: 0 });
}
