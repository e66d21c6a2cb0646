import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { haveRecordings, type Recording, recordings } from '../contract/recordings.ts';

const shared = join(import.meta.dirname, '../../../shared');

export interface Replay {
  readonly url: string;
  seen(id: string): {
    readonly requests: readonly { readonly path: string; readonly headers: Record<string, string>; readonly body_base64: string }[];
  };
  close(): Promise<void>;
}

export async function startReplay(): Promise<Replay> {
  const tool = (await import(pathToFileURL(join(shared, 'tools/replay-upstream.mjs')).href)) as {
    startReplay(options: { files: readonly string[]; port: number }): Promise<Replay>;
  };
  return tool.startReplay({ files: [join(shared, 'data/recorded/anthropic.jsonl')], port: 0 });
}

const all = recordings(['anthropic']);

/** Recordings that cannot be used, by id with the reason. */
const excluded: Readonly<Record<string, string>> = {};

const exchanges: readonly Recording[] = all.filter(({ api, id }) => api === 'messages' && excluded[id] === undefined);
export const successful = exchanges.filter(({ response }) => response.status === 200);
export const bad = exchanges.filter(({ response }) => response.status >= 400);
export const counts: readonly Recording[] = all.filter(({ api }) => api === 'messages.count_tokens');
export const relayed: readonly Recording[] = all.filter(({ api }) => api === 'messages.batches' || api === 'files');

export const missing = haveRecordings ? undefined : '../shared/data/recorded is absent';

/** `gateway.yaml` with a provider for each recording, whose host replays it. JSON is valid YAML. */
export function catalog(list: readonly Recording[], replayUrl: string, options = ''): string {
  const providers = list.map(({ id }) => [
    id,
    { type: 'anthropic', api_key: 'sk-ant-api03-0123456789', custom_host: `${replayUrl}/x/${id}${options}/v1` },
  ]);
  return JSON.stringify({ version: 1, providers: Object.fromEntries(providers) });
}
