import { expect, it } from 'vitest';
import { emptyBody, JsonBody } from '../json/body.ts';
import { stateOf } from './route-state.ts';
import type { Endpoint } from '../endpoint.ts';

it.each([
  ['POST', '/v1/chat/completions', undefined],
  ['POST', '/v1/batches', 'creates'],
  ['GET', '/v1/batches', undefined],
  ['GET', '/v1/batches/b_1', 'names'],
  ['POST', '/v1/batches/b_1/cancel', 'names'],
  ['POST', '/v1/files', 'creates'],
  ['GET', '/v1/files/f_1/content', 'names'],
  ['POST', '/v1/fine_tuning/jobs', 'creates'],
  ['GET', '/v1/fine_tuning/jobs', undefined],
  ['GET', '/v1/fine_tuning/jobs/j_1/checkpoints', 'names'],
  ['GET', '/v1/chat/completions/c_1', 'names'],
  ['POST', '/v1/uploads/u_1/parts', 'names'],
  ['POST', '/v1/messages/batches', 'creates'],
  ['GET', '/v1/messages/batches', undefined],
  ['GET', '/v1/messages/batches/msgbatch_1/results', 'names'],
  ['POST', '/v1/audio/speech', undefined],
  ['POST', '/v1/audio/voices', 'creates'],
  ['GET', '/v1/audio/voices', undefined],
  ['DELETE', '/v1/audio/voices/v_1', 'names'],
  ['POST', '/v1/audio/isolation', undefined],
  ['POST', '/v1/skills', 'creates'],
  ['POST', '/v1/skills/s_1/versions', 'names'],
  ['POST', '/v1/chatkit/sessions', 'creates'],
  ['GET', '/v1/chatkit/threads/t_1', 'names'],
  ['POST', '/v1/realtime/client_secrets', 'creates'],
  ['POST', '/v1/realtime/calls', 'creates'],
  ['POST', '/v1/realtime/calls/rtc_1/accept', 'names'],
] as const)('stateOf %s %s is %s', (method, path, state) => {
  const endpoint: Endpoint = path === '/v1/chat/completions' ? 'chat/completions' : 'relay';
  expect(stateOf({ endpoint, method, path, body: emptyBody })).toBe(state);
});

it.each([
  [{}, undefined],
  [{ store: false }, undefined],
  [{ store: true }, 'creates'],
  [{ background: true }, 'creates'],
])('stateOf POST /v1/responses with %j is %s', (body, state) => {
  expect(stateOf({ endpoint: 'responses', method: 'POST', path: '/v1/responses', body: JsonBody.of(body) })).toBe(state);
});

it('stateOf returns "names" for a modelled route with an object ID', () => {
  expect(stateOf({ endpoint: 'responses/{id}', method: 'GET', path: '/v1/responses/r_1', body: emptyBody })).toBe('names');
});
