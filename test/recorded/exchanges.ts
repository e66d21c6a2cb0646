import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { vendors } from '../../plugins/providers/vendors/index.ts';

/** Recorded provider traffic and the tool that replays it are outside the repository. */
const shared = join(import.meta.dirname, '../../../shared');
const folder = join(shared, 'data/recorded');

/** One exchange, with the members that the tests read. */
export interface Recorded {
  readonly id: string;
  /** The type of the recorded provider. */
  readonly provider: string;
  readonly api: string;
  readonly stream: boolean;
  readonly features: readonly string[];
  readonly request: { readonly method: string; readonly url: string; readonly body?: Readonly<Record<string, unknown>> };
  readonly response: { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body?: string };
}

/** A request as the replaying upstream received it. */
export interface ReplayedRequest {
  readonly method: string;
  /** The path after `/x/<id>`, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body_base64: string;
}

export interface Replay {
  readonly url: string;
  seen(id: string): { readonly requests: readonly ReplayedRequest[] };
  forget(id?: string): void;
  close(): Promise<void>;
}

/** Operations with their own route; the others are relayed and have their own tests. */
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

/** Exchanges with a response that differs from the recorded one, by id and with the reason. They have their own checks. */
export const exceptions: Readonly<Record<string, { readonly status: number }>> = {
  // An error object with status 200 and code content_filter is an error, not a response.
  'azure-openai-chat-completions-dce1105859ca': { status: 400 },
};

/** Providers with the client's format: their bytes are passed on unchanged. */
const types: readonly string[] = ['openai', 'azure-openai', ...vendors.map(({ type }) => type)];

/** Some were recorded without a request body and cannot be sent. */
const canBeAsked = ({ api, request }: Recorded): boolean => modelled.has(api) && (request.method === 'GET' || request.body !== undefined);

/** The exchanges, or why there are none. @throws Error with GATEWAY_TEST_STRICT=1 if the folder exists but can't be read */
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
