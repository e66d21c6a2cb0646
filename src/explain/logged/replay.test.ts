import { expect, it } from 'vitest';
import { changed } from './replay.ts';

const again = (to: string, body?: string) => {
  const { headers, body: sent } = changed({ method: 'POST', path: '/v1/x', headers: {}, ...(body === undefined ? {} : { body }) }, { to });
  return { provider: headers?.['x-gateway-provider'], sent };
};

it.each([
  ['other/m', '{"model":"@main/gpt","n":1}', undefined, '{"model":"@other/m","n":1}'],
  ['other', '{"model":"@main/vendor/gpt","n":1}', undefined, '{"model":"@other/vendor/gpt","n":1}'],
  ['@other', '{"model":"gpt"}', '@other', '{"model":"gpt"}'],
  ['other', '{"n":1}', '@other', '{"n":1}'],
  ['other', 'no JSON', '@other', 'no JSON'],
  ['other', undefined, '@other', undefined],
])('a request to %s that was %s names it', (to, body, provider, sent) => {
  expect(again(to, body)).toEqual({ provider, sent });
});

it.each([
  ['/m', '{}', /no target/],
  ['other/m', undefined, /no body/],
])('a request cannot go to %s with the body %s', (to, body, message) => {
  expect(() => again(to, body)).toThrow(message);
});
