import type { Provider } from '../../src/core/provider.ts';
import anthropic from '../../plugins/providers/anthropic/index.ts';
import gemini from '../../plugins/providers/gemini/index.ts';
import { openaiDialect } from '../../src/formats/openai-chat/client.ts';
import { SseScanner } from '../../src/transport/outbound/framing/sse.ts';
import { begin, callOf } from '../contract/call.ts';
import { type Recording, recordings } from '../contract/recordings.ts';
import { type Assembled, assembled, byAnthropic, type Json } from './assembled.ts';

/** An assistant message of a recorded response, with its origin. */
export interface Source {
  readonly id: string;
  readonly message: Json;
}

const openaiFormat = [
  'openai',
  'azure-openai',
  'groq',
  'mistral',
  'deepseek',
  'openrouter',
  'xai',
  'huggingface',
  'cerebras',
  'databricks',
  'workers-ai',
  'gemini-api',
];

const isGood = ({ response }: Recording): boolean => response.status === 200 && response.body !== undefined;

/** Responses in the client's format, which are forwarded unchanged. */
export async function passed(): Promise<readonly Source[]> {
  const found = recordings(openaiFormat).filter((one) => one.api === 'chat.completions' && isGood(one));
  return (await Promise.all(found.map(async (one) => storedSources(one, one.response.body ?? '')))).flat();
}

/** Responses in another format, converted with strict compliance on and off. */
export async function converted(): Promise<readonly Source[]> {
  const found = recordings(['anthropic', 'gemini-api', 'vertex-gemini']).filter(
    (one) => ['messages', 'generateContent', 'streamGenerateContent'].includes(one.api) && isGood(one),
  );
  const all = found.flatMap((one) =>
    [true, false].map(async (strict) => {
      const text = one.stream
        ? streamOf(one, strict)
        : JSON.stringify(begin(providerOf(one), call(one, strict)).result?.(one.response.body ?? ''));
      return (await storedSources(one, text)).map((source) => ({ ...source, id: `${source.id}${strict ? ', strict' : ''}` }));
    }),
  );
  const native = found
    .filter((one) => one.provider === 'anthropic')
    .map(async (one) => ({
      id: `${one.id} in its own words`,
      message: one.stream
        ? await byAnthropic(one.response.body ?? '')
        : { role: 'assistant', content: (JSON.parse(one.response.body ?? '') as Json)['content'] },
    }));
  return [...(await Promise.all(all)).flat(), ...(await Promise.all(native))];
}

async function storedSources(one: Recording, text: string): Promise<readonly Source[]> {
  if (one.stream) return (await assembled(text)).map(({ by, message }: Assembled) => ({ id: `${one.id} ${by}`, message }));
  const { choices } = JSON.parse(text) as { choices?: { message?: Json }[] };
  return (choices ?? []).flatMap(({ message }, at) => (message === undefined ? [] : [{ id: `${one.id} ${at}`, message }]));
}

const providerOf = ({ provider }: Recording): Provider => (provider === 'anthropic' ? anthropic : gemini);

function call(one: Recording, strict: boolean) {
  const model = /models\/([^:]+):/.exec(one.request.url)?.[1] ?? String(one.request.body?.['model'] ?? '');
  return callOf({ model, strict, stream: one.stream, includeUsage: true, settings: {}, id: 'req_01JD3K8ZQ4M6N7P8R9S0T1V2W3' });
}

function streamOf(one: Recording, strict: boolean): string {
  const scanner = new SseScanner();
  const read = begin(providerOf(one), call(one, strict)).reader?.();
  const write = openaiDialect.write?.({ strict, includeUsage: true, provider: 'x', model: 'm', id: 'req_1', createdAt: 1 });
  if (read === undefined || write === undefined) throw new Error('nothing converts');
  let text = '';
  for (const event of [...scanner.push(Buffer.from(one.response.body ?? '')).events, ...scanner.end().events])
    for (const model of read.push(event)) for (const piece of write.push(model)) text += piece;
  for (const model of read.end()) for (const piece of write.push(model)) text += piece;
  for (const piece of write.end()) text += piece;
  return text;
}
