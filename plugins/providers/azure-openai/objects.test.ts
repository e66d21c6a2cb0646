import type { Endpoint } from '#core/endpoint.ts';
import { describe, expect, it } from 'vitest';
import { toOpenAiObject } from './objects.ts';

const readResponse = (endpoint: Endpoint, value: unknown): unknown =>
  toOpenAiObject(typeof value === 'string' ? value : JSON.stringify(value), { endpoint, params: { id: 'x-1' } });

describe('objectOf', () => {
  it.each<readonly [string, Endpoint, unknown, object]>([
    ['a status in capitals', 'files/{id}', { object: 'file', status: 'Processed' }, { object: 'file', status: 'processed' }],
    ['a date', 'files/{id}', { created_at: '2026-01-02T00:00:00Z' }, { created_at: 1_767_312_000 }],
    ['a date with an offset', 'files/{id}', { expires_at: '2026-01-02T01:00:00+01:00' }, { expires_at: 1_767_312_000 }],
    ['seconds', 'files/{id}', { created_at: 1_767_312_000 }, { created_at: 1_767_312_000 }],
    ['an invalid time', 'files/{id}', { created_at: 'soon', expires_at: null }, { created_at: 'soon', expires_at: null }],
    ['a batch that has not begun', 'batches', { request_counts: null }, { request_counts: { total: 0, completed: 0, failed: 0 } }],
    ['counts', 'batches', { request_counts: { total: 2 } }, { request_counts: { total: 2 } }],
    ['counts as texts', 'batches', { request_counts: { total: '2' } }, { request_counts: { total: 2, completed: 0, failed: 0 } }],
    ['an empty file id', 'batches', { output_file_id: 'f-1', error_file_id: '' }, { output_file_id: 'f-1', error_file_id: null }],
    ['an empty time', 'fine_tuning/jobs/{id}', { finished_at: '', result_files: null }, { finished_at: null, result_files: [] }],
    ['an endpoint without /v1', 'batches/{id}', { endpoint: '/chat/completions' }, { endpoint: '/v1/chat/completions' }],
    ['an endpoint with /v1', 'batches/{id}', { endpoint: '/v1/responses' }, { endpoint: '/v1/responses' }],
    [
      'line numbers of errors',
      'batches/{id}/cancel',
      { errors: { object: 'list', data: [{ code: 'a', line: '7' }, { line: 8 }, { line: 'x' }, { line: null }] } },
      { errors: { object: 'list', data: [{ code: 'a', line: 7 }, { line: 8 }, { line: null }, { line: null }] } },
    ],
    ['an Azure blob', 'batches/{id}', { input_blob: 'https://b.example/i' }, { input_blob: 'https://b.example/i' }],
    ['a job that was created', 'fine_tuning/jobs', { status: 'created' }, { status: 'queued' }],
    ['a pending job', 'fine_tuning/jobs/{id}/cancel', { status: 'Pending' }, { status: 'queued' }],
    ['a pausing job', 'fine_tuning/jobs/{id}', { status: 'pausing', trainingType: 1 }, { status: 'pausing', trainingType: 1 }],
    ['an organisation_id', 'fine_tuning/jobs/{id}', { organisation_id: 'org-1' }, { organization_id: 'org-1' }],
    ['an event', 'fine_tuning/jobs/{id}/events', { data: [{ level: 'Warning' }] }, { data: [{ level: 'warn' }] }],
    ['metrics of any name', 'fine_tuning/jobs/{id}/checkpoints', { data: [{ metrics: { x: 1 } }] }, { data: [{ metrics: { x: 1 } }] }],
  ])('converts an object with %s to the OpenAI format', (_name, endpoint, sent, expected) => {
    const counts =
      endpoint.startsWith('batches') && !('request_counts' in expected) ? { request_counts: { total: 0, completed: 0, failed: 0 } } : {};
    expect(readResponse(endpoint, sent)).toMatchObject({ ...counts, ...expected });
    expect(Object.keys(readResponse(endpoint, sent) as object)).not.toContain('organisation_id');
  });

  it.each<readonly [string, unknown, unknown]>([
    [
      'data is null',
      { object: 'list', data: null, has_more: null },
      { object: 'list', data: [], first_id: null, last_id: null, has_more: false },
    ],
    ['data is empty', { data: [] }, { object: 'list', data: [], first_id: null, last_id: null, has_more: false }],
    [
      'the cursors are missing',
      { object: 'list', data: [{ id: 'a', status: 'Running' }, { id: 'b' }], has_more: true },
      { object: 'list', data: [{ id: 'a', status: 'running' }, { id: 'b' }], first_id: 'a', last_id: 'b', has_more: true },
    ],
    [
      'the cursors are present',
      { object: 'list', data: [{ id: 'a' }], first_id: 'z', last_id: 'y', has_more: false },
      { object: 'list', data: [{ id: 'a' }], first_id: 'z', last_id: 'y', has_more: false },
    ],
  ])('converts a list to the OpenAI format: %s', (_name, sent, expected) => {
    expect(readResponse('fine_tuning/jobs/list', sent)).toEqual(expected);
  });

  it('returns a deletion object for an empty response to a DELETE request only', () => {
    expect(readResponse('files/{id}/delete', '')).toEqual({ id: 'x-1', object: 'file', deleted: true });
    expect(() => readResponse('batches/{id}/cancel', '')).toThrow(SyntaxError);
  });
});
