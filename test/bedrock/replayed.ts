import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Recorded provider traffic and the tool that replays it lie beside the repository; they are not part of it. */
const shared = join(import.meta.dirname, '../../../shared');
const file = join(shared, 'data/recorded/bedrock.jsonl');

export type Json = Readonly<Record<string, unknown>>;

export interface Exchange {
  readonly id: string;
  readonly api: string;
  readonly request: { readonly url: string; readonly body?: Json };
  readonly response: { readonly status: number; readonly body?: string; readonly body_base64?: string };
}

export interface Replay {
  readonly url: string;
  seen(id: string): { readonly requests: readonly { readonly path: string; readonly body_base64: string }[] };
  close(): Promise<void>;
}

export const missing = existsSync(file) ? undefined : '../shared/data/recorded is absent';

export const exchanges: readonly Exchange[] =
  missing === undefined
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Exchange)
    : [];

export const modelOf = ({ request }: Exchange): string => decodeURIComponent(/\/model\/([^/]+)\//.exec(request.url)?.[1] ?? '');

export async function startReplay(): Promise<Replay> {
  const tool = (await import(pathToFileURL(join(shared, 'tools/replay-upstream.mjs')).href)) as {
    startReplay(options: { files: readonly string[]; port: number }): Promise<Replay>;
  };
  return tool.startReplay({ files: [file], port: 0 });
}

/** Frames read in the plainest way, checksums aside: name and payload of each. */
export function framesOf({ response }: Exchange): readonly (readonly [name: string, payload: Json])[] {
  const bytes = Buffer.from(response.body_base64 ?? '', 'base64');
  const frames: (readonly [string, Json])[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
    const size = bytes.readUInt32BE(at);
    const behind = at + 12 + bytes.readUInt32BE(at + 4);
    const headers = bytes.toString('latin1', at + 12, behind);
    const name = /:event-type\x07..([A-Za-z]+)/s.exec(headers)?.[1] ?? '';
    frames.push([name, JSON.parse(bytes.toString('utf8', behind, at + size - 4)) as Json]);
  }
  return frames;
}

/** What an answer says, whoever tells it. */
export interface Reading {
  readonly text: string;
  readonly thoughts: string;
  readonly tools: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly usage: readonly [prompt: number, completion: number, cached: number];
  readonly stop: string;
}

const of = (value: unknown): Json => (value ?? {}) as Json;
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const str = (value: unknown): string => (typeof value === 'string' ? value : '');

function usageOf(value: unknown): Reading['usage'] {
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheWriteInputTokens } = of(value) as Record<string, number | undefined>;
  const cached = cacheReadInputTokens ?? 0;
  return [(inputTokens ?? 0) + cached + (cacheWriteInputTokens ?? 0), outputTokens ?? 0, cached];
}

export function readingOf(exchange: Exchange): Reading {
  return exchange.api === 'converse' ? ofWhole(JSON.parse(exchange.response.body ?? '') as Json) : ofStream(framesOf(exchange));
}

function ofWhole({ output, usage, stopReason }: Json): Reading {
  const blocks = list(of(of(output)['message'])['content']);
  return {
    text: blocks.map((block) => str(block['text']) || str(list(of(block['citationsContent'])['content'])[0]?.['text'])).join(''),
    thoughts: blocks.map((block) => str(of(of(block['reasoningContent'])['reasoningText'])['text'])).join(''),
    tools: blocks.flatMap(({ toolUse }) => {
      const { toolUseId, name, input } = of(toolUse);
      return toolUse === undefined ? [] : [{ id: str(toolUseId), name: str(name), input }];
    }),
    usage: usageOf(usage),
    stop: str(stopReason),
  };
}

function ofStream(frames: readonly (readonly [string, Json])[]): Reading {
  const tools = new Map<unknown, { id: string; name: string; input: string }>();
  let text = '';
  let thoughts = '';
  for (const [name, data] of frames) {
    const { toolUse } = of(data['start']);
    if (toolUse !== undefined)
      tools.set(data['contentBlockIndex'], { id: str(of(toolUse)['toolUseId']), name: str(of(toolUse)['name']), input: '' });
    if (name !== 'contentBlockDelta') continue;
    const delta = of(data['delta']);
    text += str(delta['text']);
    thoughts += str(of(delta['reasoningContent'])['text']);
    const tool = tools.get(data['contentBlockIndex']);
    if (tool !== undefined) tool.input += str(of(delta['toolUse'])['input']);
  }
  const dataOfFrame = (name: string): Json => frames.find(([one]) => one === name)?.[1] ?? {};
  return {
    text,
    thoughts,
    tools: [...tools.values()].map((tool) => ({ ...tool, input: JSON.parse(tool.input || '{}') as unknown })),
    usage: usageOf(dataOfFrame('metadata')['usage']),
    stop: str(dataOfFrame('messageStop')['stopReason']),
  };
}
