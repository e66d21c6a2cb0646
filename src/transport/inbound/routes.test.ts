import { describe, expect, it } from 'vitest';
import { matchRoute } from './routes.ts';

describe('matchRoute()', () => {
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
    ['GET', '/v1/FILES//File%2D1%2525/content/', 'files/{id}/content', { id: 'File-1%25' }],
    ['GET', '/v1/batches//', 'batches/list', {}],
    ['GET', '/v1/%ZZ/', 'relay', {}],
    ['GET', '/v1/fine_tuning/jobs/j1/checkpoints', 'fine_tuning/jobs/{id}/checkpoints', { id: 'j1' }],
    ['GET', '/v1/models/meta/llama', 'models/{id}', { id: 'meta/llama' }],
    ['GET', '/v1/deployments/gpt-4o', 'relay', {}],
    ['POST', '/v1/deployments//chat/completions', 'relay', {}],
    ['POST', '/messages', 'messages', {}],
    ['POST', '/v1/messages/batches', 'relay', {}],
    ['GET', '/v1/anything/else', 'relay', {}],
  ])('maps %s %s to %s', (method, path, endpoint, params) =>
    expect(matchRoute(method, path)).toEqual({ endpoint, params, path: undefined, model: undefined }),
  );

  const azure = '/openai/deployments';
  it.each([
    ['POST', `${azure}/gpt-4o/chat/completions`, 'chat/completions', 'gpt-4o', '/v1/chat/completions'],
    ['POST', `${azure}/gpt-4o/completions`, 'completions', 'gpt-4o', '/v1/completions'],
    ['POST', `${azure}/chat/completions`, 'completions', 'chat', '/v1/completions'],
    ['POST', `${azure}/%40azure-eu%2Fgpt-4o/embeddings`, 'embeddings', '@azure-eu/gpt-4o', '/v1/embeddings'],
    ['POST', `${azure}/@azure-eu/org/gpt-4o/images/generations`, 'images/generations', '@azure-eu/org/gpt-4o', '/v1/images/generations'],
    ['POST', `${azure}/w%C3%BC/audio/transcriptions`, 'audio/transcriptions', 'wü', '/v1/audio/transcriptions'],
    ['POST', `${azure}/x/batches`, 'batches', 'x', '/v1/batches'],
    ['GET', `${azure}/x/models`, 'models', 'x', '/v1/models'],
    ['POST', '/v1/deployments/gpt-4o/chat/completions', 'chat/completions', 'gpt-4o', '/v1/chat/completions'],
    ['POST', '/v1/deployments/@azure-eu%2Fgpt-4o/embeddings', 'embeddings', '@azure-eu/gpt-4o', '/v1/embeddings'],
    ['POST', '/openai/responses', 'responses', undefined, '/v1/responses'],
    ['POST', '/openai/v1/responses', 'responses', undefined, '/v1/responses'],
    ['POST', '/openai/v1/chat/completions', 'chat/completions', undefined, '/v1/chat/completions'],
    ['GET', '/openai/files', 'files/list', undefined, '/v1/files'],
    ['GET', '/openai/assistants', 'relay', undefined, '/v1/assistants'],
    ['GET', '/openai/openai/deployments/x', 'relay', undefined, '/v1/openai/deployments/x'],
  ])('maps the Azure OpenAI path %s %s to %s with deployment %s', (method, path, endpoint, model, deployment) =>
    expect(matchRoute(method, path)).toEqual({ endpoint, params: {}, path: deployment, model }),
  );

  it.each([
    ['POST', '/v1/v1/messages', 'messages', {}, '/v1/messages'],
    ['POST', '/v1/v1/messages/', 'messages', {}, '/v1/messages/'],
    ['POST', '/v1/v1/messages/batches', 'relay', {}, '/v1/messages/batches'],
    ['GET', '/v1/v1/files/file-1', 'files/{id}', { id: 'file-1' }, '/v1/files/file-1'],
    ['GET', '/v1/v1/v1/files', 'relay', {}, undefined],
  ])('maps %s %s with the prefix twice to %s', (method, path, endpoint, params, equivalent) =>
    expect(matchRoute(method, path)).toEqual({ endpoint, params, path: equivalent, model: undefined }),
  );

  it.each([
    ['GET', '/v1'],
    ['GET', '/v1/'],
    ['POST', '/chat/completions'],
    ['GET', '/v1/files/%ZZ'],
    ['POST', '/v1/prompts/%E0%A4/completions'],
    ['POST', '/openai/'],
    ['POST', '/openai/deployments/chat/completions/'],
    ['POST', '/openai/deployments//chat/completions'],
    ['POST', '/openai/deployments/%2e%2e/chat/completions'],
    ['POST', '/openai/deployments/%ff/chat/completions'],
    ['POST', '/openai/deployments/x/anything/else'],
    ['POST', '/openai/deployments/x/fine_tuning/jobs'],
    ['GET', '/openai/deployments/x/files/file-1'],
    ['POST', '/OpenAI/deployments/x/chat/completions'],
  ])('returns undefined for %s %s', (method, path) => expect(matchRoute(method, path)).toBeUndefined());
});
