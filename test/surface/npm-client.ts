import OpenAI, { APIError, toFile } from 'openai';
import type { Batch } from 'openai/resources/batches';
import { type Client, polls, type Report, soundBytes, type Surface, type Thrown } from './scenarios.ts';

/** npm openai, changed only in base URL and headers. */
export const openaiNpm: Client = {
  name: 'npm openai',
  async run(surfaces) {
    const reports: Record<string, Report> = {};
    for (const surface of surfaces) reports[surface.name] = await reportOf({ ...objectSteps(surface), ...mediaSteps(surface) });
    return reports;
  },
};

type Steps = Readonly<Record<string, () => Promise<unknown>>>;

async function reportOf(steps: Steps): Promise<Report> {
  const report: Record<string, unknown> = {};
  for (const [name, step] of Object.entries(steps)) report[name] = await outcomeOf(step);
  return report;
}

async function outcomeOf(step: () => Promise<unknown>): Promise<unknown> {
  try {
    return await step();
  } catch (error) {
    return { thrown: thrownOf(error) };
  }
}

function thrownOf(error: unknown): Thrown | string {
  if (!(error instanceof APIError)) return String(error);
  return { status: error.status ?? null, code: error.code ?? null, param: error.param ?? null };
}

const clientOf = ({ baseUrl, headers }: Surface, defaultHeaders: Readonly<Record<string, string>> = headers): OpenAI =>
  new OpenAI({ baseURL: baseUrl, apiKey: 'dummy', defaultHeaders, maxRetries: 0, timeout: 60_000 });

function objectSteps(surface: Surface): Steps {
  const client = clientOf(surface);
  const bare = clientOf(surface, {});
  const create = (metadata: Record<string, string>, file = 'file-in'): Promise<Batch> =>
    client.batches.create({ input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h', metadata });
  const aged = async (count: number, metadata: Record<string, string> = { team: 'a' }): Promise<Batch> => {
    let batch = await create(metadata);
    for (let i = 0; i < count; i += 1) batch = await client.batches.retrieve(batch.id);
    return batch;
  };
  const train = (metadata: Record<string, string> = { team: 'a' }) =>
    client.fineTuning.jobs.create({ model: 'm-2025', training_file: 'file-train', metadata });
  const agedJob = async (count: number, metadata?: Record<string, string>) => {
    let job = await train(metadata);
    for (let i = 0; i < count; i += 1) job = await client.fineTuning.jobs.retrieve(job.id);
    return job;
  };
  const output = async (batch: { id: string }): Promise<unknown> => {
    const response = await client.get(`/batches/${batch.id}/output`).asResponse();
    return [await response.text(), response.headers.get('content-type'), response.headers.has('x-gateway-warnings')];
  };
  return {
    batch_life: async () => {
      const first = await create({ team: 'a' });
      const statuses: unknown[] = [first.status];
      let batch = first;
      for (let i = 0; i < 4; i += 1) statuses.push((batch = await client.batches.retrieve(batch.id)).status);
      const { endpoint, created_at, in_progress_at, expires_at, request_counts, metadata } = batch;
      const counts = [first.request_counts?.total, request_counts?.total];
      return { statuses, endpoint, times: [created_at, in_progress_at, expires_at], counts, metadata };
    },
    batch_cancel: async () => {
      const ends: unknown[] = [];
      for (const count of polls) {
        // A read returns the state before it; the batch advances after it.
        const { id } = await aged(count);
        ends.push(await outcomeOf(async () => [(await client.batches.cancel(id)).status]));
      }
      return ends;
    },
    batch_cancel_twice: async () => {
      const { id } = await create({ team: 'a' });
      const statuses: unknown[] = [(await client.batches.cancel(id)).status, (await client.batches.cancel(id)).status];
      for (let i = 0; i < 2; i += 1) statuses.push((await client.batches.retrieve(id)).status);
      return [...statuses, await outcomeOf(() => client.batches.cancel(id))];
    },
    batch_failed: async () => {
      const { id, status, errors } = await aged(2, { fate: 'fails' });
      return [status, errors?.data?.map(({ line }) => line), await outcomeOf(() => client.batches.cancel(id))];
    },
    batch_unknown: () => client.batches.retrieve('batch_x'),
    batch_unknown_cancel: () => client.batches.cancel('batch_x'),
    batch_unknown_file: () => create({}, 'file-x'),
    batch_pages: async () => {
      const created: string[] = [];
      for (let i = 0; i < 7; i += 1) created.push((await create({ team: 'a' })).id);
      const ids: string[] = [];
      for await (const { id } of client.batches.list({ limit: 3 })) ids.push(id);
      const keys = Object.keys((await client.get('/batches', { query: { limit: 2 } })) as object).toSorted();
      return { newest: ids.slice(0, 7).join() === created.toReversed().join(), each: new Set(ids).size === ids.length, keys };
    },
    batch_limit: () => client.get('/batches', { query: { limit: 101 } }),
    batch_many_pairs: () => create(Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v']))),
    batch_long_key: () => create({ ['k'.repeat(65)]: 'v' }),
    batch_long_value: () => create({ k: 'ü'.repeat(513) }),
    output: async () => output(await aged(4)),
    output_of_errors: async () => output(await aged(4, { fate: 'errs' })),
    output_too_early: async () => output(await aged(1)),
    output_of_failed: async () => output(await aged(2, { fate: 'fails' })),
    output_unknown: () => output({ id: 'batch_x' }),
    job_life: async () => {
      const first = await train();
      const statuses: unknown[] = [first.status];
      let job = first;
      for (let i = 0; i < 4; i += 1) statuses.push((job = await client.fineTuning.jobs.retrieve(job.id)).status);
      const { model, fine_tuned_model, organization_id: organization, created_at: created } = job;
      return { statuses, model: [model, fine_tuned_model], organization, created };
    },
    job_cancel: async () => {
      const ends: unknown[] = [];
      for (const count of polls) {
        const { id } = await agedJob(count);
        ends.push(await outcomeOf(async () => [(await client.fineTuning.jobs.cancel(id)).status]));
      }
      return ends;
    },
    job_failed: async () => {
      const { status, error } = await agedJob(2, { fate: 'fails' });
      return [status, error?.code];
    },
    job_unknown: () => client.fineTuning.jobs.retrieve('ftjob-x'),
    job_metadata: () => train({ k: 'v'.repeat(513) }),
    job_listed: async () => {
      const { id } = await train();
      return (await client.fineTuning.jobs.list({ limit: 2 })).data[0]?.id === id;
    },
    events: async () => {
      const levels: string[] = [];
      for await (const { level } of client.fineTuning.jobs.listEvents((await train()).id, { limit: 10 })) levels.push(level);
      return [levels.length, [...new Set(levels)].toSorted()];
    },
    checkpoints_none: async () => client.get(`/fine_tuning/jobs/${(await train()).id}/checkpoints`),
    checkpoints_usual: async () => {
      const { id } = await agedJob(4);
      const list: Record<string, unknown> = await client.get(`/fine_tuning/jobs/${id}/checkpoints`);
      return [(list['data'] as unknown[]).length, list['has_more'], list['first_id'], list['last_id']];
    },
    checkpoints_all: async () => {
      const steps: number[] = [];
      for await (const each of client.fineTuning.jobs.checkpoints.list((await agedJob(4)).id, { limit: 5 })) steps.push(each.step_number);
      return steps;
    },
    no_virtual_key: async () => [await outcomeOf(() => bare.batches.list()), await outcomeOf(() => bare.fineTuning.jobs.cancel('ftjob-1'))],
    files: async () => {
      const text = '{"custom_id":"ü"}\n';
      const { id, filename, purpose, status } = await client.files.create({
        purpose: 'batch',
        file: await toFile(Buffer.from(text), 'in.jsonl'),
      });
      const found = (await client.files.retrieve(id)).id === id;
      const content = (await (await client.files.content(id)).text()) === text;
      const deleted = await client.files.delete(id);
      return [
        filename,
        purpose,
        status,
        found,
        content,
        [deleted.deleted, deleted.object],
        await outcomeOf(() => client.files.retrieve(id)),
      ];
    },
    file_batch: async () => {
      const line = { custom_id: 'r-1', method: 'POST', url: '/v1/chat/completions', body: { model: surface.lineModel, seed: 1 } };
      const file = await toFile(Buffer.from(`${JSON.stringify(line)}\n`), 'in.jsonl');
      const { id } = await client.files.create({ purpose: 'batch', file });
      return [(await create({}, id)).status];
    },
    file_unknown_content: async () => (await client.files.content('file-x')).text(),
    file_purpose: async () => client.files.create({ purpose: 'vision', file: await toFile(Buffer.from('x'), 'x.png') }),
  };
}

function mediaSteps(surface: Surface): Steps {
  const client = clientOf(surface);
  const model = surface.mediaModel;
  const file = () => toFile(soundBytes, 'a.mp3');
  const speechRequest = { model, voice: 'alloy', input: 'Grüße' } as const;
  const typesOf = async (events: AsyncIterable<{ type: string }>): Promise<string[]> => {
    const types: string[] = [];
    for await (const { type } of events) types.push(type);
    return types;
  };
  return {
    speech: async () => Buffer.from(await (await client.audio.speech.create(speechRequest)).arrayBuffer()).toString('base64'),
    speech_events: async () => {
      const text = await (await client.audio.speech.create({ ...speechRequest, stream_format: 'sse' })).text();
      return [...text.matchAll(/"type":"([^"]*)"/g)].map(([, type]) => type);
    },
    transcript: async () => (await client.audio.transcriptions.create({ model, file: await file() })).text,
    transcript_text: async () => client.audio.transcriptions.create({ model, file: await file(), response_format: 'text' }),
    transcript_subtitles: async () => client.audio.transcriptions.create({ model, file: await file(), response_format: 'srt' }),
    transcript_events: async () => typesOf(await client.audio.transcriptions.create({ model, file: await file(), stream: true })),
    translation: async () => (await client.audio.translations.create({ model, file: await file() })).text,
    image_edit: async () => (await client.images.edit({ model, image: await file(), prompt: 'a frog' })).data?.[0]?.b64_json,
    image_variation: async () => (await client.images.createVariation({ model, image: await file() })).data?.[0]?.b64_json,
  };
}
