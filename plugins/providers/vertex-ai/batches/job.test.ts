import { describe, expect, it } from 'vitest';
import { batchStatus } from '../jobs/states.ts';
import { batchFromJob } from './job.ts';

const name = 'projects/123/locations/us-central1/batchPredictionJobs/456';
const folder = 'gs://acme/gateway/batches/x/chat_completions/gemini-2.5-flash/prediction-model-1';

describe('batchStatus', () => {
  it.each([
    ['JOB_STATE_UNSPECIFIED', 'validating'],
    ['JOB_STATE_QUEUED', 'validating'],
    ['JOB_STATE_PENDING', 'validating'],
    ['JOB_STATE_RUNNING', 'in_progress'],
    ['JOB_STATE_UPDATING', 'in_progress'],
    ['JOB_STATE_PAUSED', 'in_progress'],
    ['JOB_STATE_SUCCEEDED', 'completed'],
    ['JOB_STATE_PARTIALLY_SUCCEEDED', 'completed'],
    ['JOB_STATE_FAILED', 'failed'],
    ['JOB_STATE_CANCELLING', 'cancelling'],
    ['JOB_STATE_CANCELLED', 'cancelled'],
    ['JOB_STATE_EXPIRED', 'expired'],
    ['JOB_STATE_OF_TOMORROW', 'validating'],
    ['toString', 'validating'],
    [undefined, 'validating'],
  ])('maps %s to %s', (state, status) => expect(batchStatus(state)).toBe(status));
});

describe('batchFromJob', () => {
  it('returns times in seconds, counts as numbers and ids without the resource path', () => {
    const job = {
      name,
      model: 'publishers/google/models/gemini-2.5-flash',
      state: 'JOB_STATE_SUCCEEDED',
      createTime: '2026-11-02T09:00:00.9Z',
      startTime: '2026-11-02T09:01:00Z',
      updateTime: '2026-11-02T09:05:00Z',
      endTime: '2026-11-02T09:05:01.5Z',
      inputConfig: { gcsSource: { uris: ['gs://acme/in/req.jsonl'] } },
      outputInfo: { gcsOutputDirectory: folder },
      completionStats: { successfulCount: '10', failedCount: '1', incompleteCount: '-1' },
      labels: { gateway_endpoint: 'chat_completions' },
    };
    expect(batchFromJob(job)).toEqual({
      id: '456',
      object: 'batch',
      endpoint: '/v1/chat/completions',
      errors: null,
      input_file_id: 'gs%3A%2F%2Facme%2Fin%2Freq.jsonl',
      completion_window: '24h',
      status: 'completed',
      output_file_id: encodeURIComponent(`${folder}/predictions.jsonl`),
      error_file_id: null,
      created_at: 1_793_610_000,
      in_progress_at: 1_793_610_060,
      expires_at: null,
      finalizing_at: null,
      completed_at: 1_793_610_301,
      failed_at: null,
      expired_at: null,
      cancelling_at: null,
      cancelled_at: null,
      request_counts: { total: 11, completed: 10, failed: 1 },
      metadata: null,
      model: 'gemini-2.5-flash',
    });
  });

  it.each([
    ['JOB_STATE_FAILED', 'failed_at'],
    ['JOB_STATE_CANCELLED', 'cancelled_at'],
    ['JOB_STATE_EXPIRED', 'expired_at'],
    ['JOB_STATE_PARTIALLY_SUCCEEDED', 'completed_at'],
  ])('returns the end of %s in %s', (state, field) => {
    expect(batchFromJob({ name, state, endTime: '2026-11-02T09:00:00Z' })).toMatchObject({ [field]: 1_793_610_000 });
  });

  it('returns cancelling_at for a job that is being cancelled', () => {
    expect(batchFromJob({ name, state: 'JOB_STATE_CANCELLING', updateTime: '2026-11-02T09:00:00Z' })).toMatchObject({
      cancelling_at: 1_793_610_000,
      cancelled_at: null,
    });
  });

  it('returns the error of a failed job and no output file', () => {
    const job = { name, state: 'JOB_STATE_FAILED', error: { code: 3, message: 'bad row' }, outputInfo: { gcsOutputDirectory: folder } };
    expect(batchFromJob(job)).toMatchObject({
      errors: { object: 'list', data: [{ code: '3', message: 'bad row', param: null, line: null }] },
      output_file_id: null,
    });
  });

  it.each([
    ['publishers/google/models/text-embedding-005', '000000000000.jsonl', '/v1/embeddings', 'text-embedding-005'],
    ['publishers/google/models/gemini-embedding-001', '000000000000.jsonl', '/v1/embeddings', 'gemini-embedding-001'],
    ['publishers/google/models/gemini-embedding-2', 'predictions.jsonl', '/v1/embeddings', 'gemini-embedding-2'],
    [
      'publishers/anthropic/models/claude-sonnet-4-5@20250929',
      'predictions.jsonl',
      '/v1/chat/completions',
      'anthropic.claude-sonnet-4-5@20250929',
    ],
    ['projects/p/locations/l/models/7', 'predictions.jsonl', '/v1/chat/completions', 'projects/p/locations/l/models/7'],
  ])('finds the output file for %s: %s', (model, file, endpoint, expectedModel) => {
    const batch = batchFromJob({ name, model, state: 'JOB_STATE_SUCCEEDED', outputInfo: { gcsOutputDirectory: 'gs://acme/out/p' } });
    expect(batch).toMatchObject({ output_file_id: encodeURIComponent(`gs://acme/out/p/${file}`), endpoint, model: expectedModel });
  });

  it('accepts an input URI that is a string, and missing counts', () => {
    expect(batchFromJob({ name, inputConfig: { gcsSource: { uris: 'gs://acme/a' } } })).toMatchObject({
      input_file_id: 'gs%3A%2F%2Facme%2Fa',
      request_counts: { total: 0, completed: 0, failed: 0 },
    });
  });

  it('includes incomplete requests in the total', () => {
    const completionStats = { successfulCount: '2', incompleteCount: '7' };
    expect(batchFromJob({ name, completionStats }).request_counts).toEqual({ total: 9, completed: 2, failed: 0 });
  });
});
