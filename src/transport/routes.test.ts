import { describe, expect, it } from 'vitest';
import { matchRoute } from './routes.ts';

describe('a route', () => {
  it.each([
    ['POST', '/v1/chat/completions', 'chat/completions', {}],
    ['GET', '/v1/chat/completions', 'relay', {}],
    ['GET', '/v1/files', 'files/list', {}],
    ['POST', '/v1/files', 'files', {}],
    ['DELETE', '/v1/files/file-1', 'files/{id}/delete', { id: 'file-1' }],
    ['GET', '/v1/files/gs%3A%2F%2Fb%2Fa.jsonl/content', 'files/{id}/content', { id: 'gs://b/a.jsonl' }],
    ['POST', '/v1/batches/b1/cancel', 'batches/{id}/cancel', { id: 'b1' }],
    ['GET', '/v1/batches/', 'batches/list', {}],
    ['POST', '/v1//chat/completions', 'chat/completions', {}],
    ['POST', '/v1/%63hat/Completions/', 'chat/completions', {}],
    ['POST', '/v1/v1/messages/', 'messages', {}],
    ['GET', '/v1/FILES//File%2D1%2525/content/', 'files/{id}/content', { id: 'File-1%25' }],
    ['GET', '/v1/batches//', 'batches/list', {}],
    ['GET', '/v1/%ZZ/', 'relay', {}],
    ['GET', '/v1/fine_tuning/jobs/j1/checkpoints', 'fine_tuning/jobs/{id}/checkpoints', { id: 'j1' }],
    ['GET', '/v1/models/meta/llama', 'models/{id}', { id: 'meta/llama' }],
    ['POST', '/v1/v1/messages', 'messages', {}],
    ['POST', '/messages', 'messages', {}],
    ['POST', '/v1/messages/batches', 'relay', {}],
    ['GET', '/v1/anything/else', 'relay', {}],
  ])('%s %s is %s', (method, path, endpoint, params) => expect(matchRoute(method, path)).toEqual({ endpoint, params }));

  it.each([
    ['GET', '/v1'],
    ['GET', '/v1/'],
    ['POST', '/chat/completions'],
    ['GET', '/v1/files/%ZZ'],
    ['POST', '/v1/prompts/%E0%A4/completions'],
  ])('%s %s is none', (method, path) => expect(matchRoute(method, path)).toBeUndefined());
});
