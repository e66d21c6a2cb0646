import { expect, test } from 'vitest';
import { forwardedSubprotocols } from './upgrade-client.ts';

test.each([
  [undefined, []],
  ['', []],
  ['realtime', ['realtime']],
  ['realtime, openai-insecure-api-key.sk-1, openai-beta.realtime-v1', ['realtime', 'openai-beta.realtime-v1']],
  ['openai-insecure-api-key.gw_abc', []],
  ['OpenAI-Insecure-API-Key.sk-1,realtime', ['realtime']],
  ['gw_abc, realtime', ['realtime']],
  ['openai-organization.org-1, openai-project.p', ['openai-organization.org-1', 'openai-project.p']],
  ['base64url.bearer.authorization.k8s.io.x, bearer.abc', []],
])('forwardedSubprotocols() for %j returns %j', (header, expected) => {
  expect(forwardedSubprotocols(header)).toEqual(expected);
});
