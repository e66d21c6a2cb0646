import { toFile } from 'openai';
import { Portkey } from 'portkey-ai';

/** npm portkey-ai: one call for each route. The names are those of the PyPI script. */

const messages = [{ role: 'user' as const, content: 'hi' }];
const upload = (name: string) => toFile(Buffer.from('{}\n'), name);
const finetune = { model: 'm', training_file: 'file-1' };
const batch = { input_file_id: 'file-1', endpoint: '/v1/chat/completions', completion_window: '24h' };

type Call = (client: Portkey) => Promise<unknown>;

export const calls: Readonly<Record<string, Call>> = {
  chat: (client) => client.chat.completions.create({ model: 'm', messages }),
  completions: (client) => client.completions.create({ model: 'm', prompt: 'hi' }),
  embeddings: (client) => client.embeddings.create({ model: 'm', input: 'hi' }),
  moderations: (client) => client.moderations.create({ model: 'm', input: 'hi' }),
  'images.generate': (client) => client.images.generate({ model: 'm', prompt: 'a frog' }),
  'images.edit': async (client) => client.images.edit({ model: 'm', prompt: 'a frog', image: await upload('a.png') }),
  'images.variation': async (client) => client.images.createVariation({ model: 'm', image: await upload('a.png') }),
  'audio.speech': async (client) => {
    const speech = (await client.audio.speech.create({ model: 'm', input: 'hi', voice: 'alloy' })) as unknown as Response;
    return speech.arrayBuffer();
  },
  'audio.transcriptions': async (client) => client.audio.transcriptions.create({ model: 'm', file: await upload('a.wav') }),
  'audio.translations': async (client) => client.audio.translations.create({ model: 'm', file: await upload('a.wav') }),
  'responses.create': (client) => client.responses.create({ model: 'm', input: 'hi' }),
  'responses.retrieve': (client) => client.responses.retrieve('resp_1'),
  'files.create': async (client) => client.files.create({ file: await upload('a.jsonl'), purpose: 'batch' }),
  'files.list': (client) => client.files.list(),
  'files.retrieve': (client) => client.files.retrieve('file-1'),
  'files.content': (client) => client.files.content('file-1'),
  'files.delete': (client) => client.files.delete('file-1'),
  'batches.create': (client) => client.batches.create(batch as never),
  'batches.retrieve': (client) => client.batches.retrieve('batch_1'),
  'batches.list': (client) => client.batches.list({}),
  'batches.cancel': (client) => client.batches.cancel('batch_1'),
  'batches.output': (client) => Promise.resolve(client.batches.output('batch_1')),
  'jobs.create': (client) => client.fineTuning.jobs.create(finetune as never),
  'jobs.list': (client) => client.fineTuning.jobs.list({}),
  'jobs.retrieve': (client) => client.fineTuning.jobs.retrieve('ftjob-1'),
  'jobs.cancel': (client) => client.fineTuning.jobs.cancel('ftjob-1'),
  'jobs.events': (client) => client.fineTuning.jobs.listEvents('ftjob-1', {}),
  'jobs.checkpoints': (client) => client.fineTuning.jobs.checkpoints.list('ftjob-1', {}),
};

/** The result of each call: '' or the error. Each call has a new client, because the library keeps state between calls. */
export async function runNpm(baseURL: string, apiKey: string, options: object): Promise<Readonly<Record<string, string>>> {
  const results: Record<string, string> = {};
  for (const [name, call] of Object.entries(calls)) {
    const client = new Portkey({ baseURL, apiKey, ...options, metadata: { call: name } });
    results[name] = await call(client).then(
      () => '',
      (error: unknown) => String(error),
    );
  }
  return results;
}
