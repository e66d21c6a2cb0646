import { describe, expect, it } from 'vitest';
import { parseBatchId, clientId, isOutputFile, outputFileId } from './ids.ts';
import { toBatch, toBatches } from './object.ts';

type Json = Record<string, unknown>;

const batch = (members: Json = {}, counts: Json = {}): Json => ({
  id: 'msgbatch_01A',
  type: 'message_batch',
  processing_status: 'in_progress',
  request_counts: { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0, ...counts },
  created_at: '2026-01-01T00:05:23.250396+00:00',
  expires_at: '2026-01-02T00:05:23.250396+00:00',
  ended_at: null,
  archived_at: null,
  cancel_initiated_at: null,
  results_url: null,
  ...members,
});

const created = 1_767_225_923;
const ended = {
  processing_status: 'ended',
  ended_at: '2026-01-01T01:00:00Z',
  results_url: 'https://h/v1/messages/batches/msgbatch_01A/results',
};
const endedAt = 1_767_229_200;
const cancelled = { cancel_initiated_at: '2026-01-01T00:10:00Z' };

describe('toBatch', () => {
  it('returns every field of the OpenAI batch format', () => {
    expect(toBatch(batch({}, { processing: 2 }))).toEqual({
      id: 'msgbatch_01A',
      object: 'batch',
      endpoint: '/v1/chat/completions',
      errors: null,
      input_file_id: null,
      completion_window: '24h',
      status: 'in_progress',
      output_file_id: null,
      error_file_id: null,
      created_at: created,
      in_progress_at: created,
      expires_at: created + 86_400,
      finalizing_at: null,
      completed_at: null,
      failed_at: null,
      expired_at: null,
      cancelling_at: null,
      cancelled_at: null,
      request_counts: { total: 2, completed: 0, failed: 0 },
      metadata: null,
    });
  });

  it.each([
    ['in progress', batch({}, { processing: 3 }), { status: 'in_progress', output_file_id: null }],
    [
      'being cancelled',
      batch({ ...cancelled, processing_status: 'canceling' }),
      { status: 'cancelling', cancelling_at: 1_767_226_200, cancelled_at: null },
    ],
    ['completed', batch(ended, { succeeded: 3 }), { status: 'completed', completed_at: endedAt, output_file_id: 'msgbatch_01A-output' }],
    [
      'completed with failures',
      batch(ended, { succeeded: 1, errored: 2 }),
      { status: 'completed', request_counts: { total: 3, completed: 1, failed: 2 } },
    ],
    [
      'completed with failures only',
      batch(ended, { errored: 2 }),
      { status: 'completed', completed_at: endedAt, failed_at: null, error_file_id: null },
    ],
    [
      'cancelled after some requests completed',
      batch({ ...ended, ...cancelled }, { succeeded: 1, canceled: 2 }),
      { status: 'cancelled', cancelled_at: endedAt, completed_at: null },
    ],
    [
      'cancelled after all requests completed',
      batch({ ...ended, ...cancelled }, { succeeded: 3 }),
      { status: 'completed', cancelling_at: 1_767_226_200, cancelled_at: null },
    ],
    ['expired', batch(ended, { succeeded: 1, expired: 2 }), { status: 'expired', expired_at: endedAt, completed_at: null }],
    [
      'archived',
      batch({ ...ended, results_url: null, archived_at: '2026-02-01T00:00:00Z' }, { succeeded: 1 }),
      { status: 'completed', output_file_id: null },
    ],
  ])('converts a message batch that is %s', (_, value, expected) => {
    expect(toBatch(value)).toMatchObject(expected);
  });

  it('adds the requested endpoint to the ids', () => {
    const batchRequest = { endpoint: '/v1/messages', inputFileId: 'file_1' } as const;
    expect(toBatch(batch(ended, { succeeded: 1 }), batchRequest)).toMatchObject({
      id: 'msgbatch_01A-messages',
      endpoint: '/v1/messages',
      input_file_id: 'file_1',
      output_file_id: 'msgbatch_01A-messages-output',
    });
  });

  it.each([undefined, null, 'x', [], {}, { error: {} }])('throws upstream_invalid for %j', (value) => {
    expect(() => toBatch(value)).toThrow(expect.objectContaining({ code: 'upstream_invalid' }));
  });
});

describe('toBatches', () => {
  it('returns the rows newest first with their cursors', () => {
    const page = {
      data: [batch({ id: 'msgbatch_2' }), batch({ id: 'msgbatch_1' })],
      has_more: true,
      first_id: 'msgbatch_2',
      last_id: 'msgbatch_1',
    };
    expect(toBatches(JSON.stringify(page))).toMatchObject({
      object: 'list',
      data: [{ id: 'msgbatch_2' }, { id: 'msgbatch_1' }],
      first_id: 'msgbatch_2',
      last_id: 'msgbatch_1',
      has_more: true,
    });
    expect(toBatches('{"data":[],"has_more":false}')).toEqual({ object: 'list', data: [], first_id: null, last_id: null, has_more: false });
  });

  it.each(['', '[]', '{}', '{"data":{}}'])('throws upstream_invalid for %j', (text) => {
    expect(() => toBatches(text)).toThrow(expect.objectContaining({ code: 'upstream_invalid' }));
  });
});

describe('batch ids', () => {
  it.each([
    ['msgbatch_01A', { id: 'msgbatch_01A', endpoint: '/v1/chat/completions' }, false],
    ['msgbatch_01A-output', { id: 'msgbatch_01A', endpoint: '/v1/chat/completions' }, true],
    ['msgbatch_01A-messages', { id: 'msgbatch_01A', endpoint: '/v1/messages' }, false],
    ['msgbatch_01A-messages-output', { id: 'msgbatch_01A', endpoint: '/v1/messages' }, true],
  ] as const)('are parsed and written: %s', (id, name, isOutput) => {
    expect(parseBatchId(id)).toEqual(name);
    expect(isOutputFile(id)).toBe(isOutput);
    expect(isOutput ? outputFileId(name) : clientId(name)).toBe(id);
  });

  it('do not include file ids that end with -output', () => {
    expect(isOutputFile('file_01A-output')).toBe(false);
  });
});
