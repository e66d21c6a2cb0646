import { expect, it } from 'vitest';
import { commentSecrets, literalSecrets, maskUrlSecrets } from './secrets.ts';
import { parse, sourceFile } from './yaml/parse.ts';

it.each([
  ['of a custom host', 'providers: {own: {type: openai, custom_host: "https://user:s3cret-word@host.example/v1"}}'],
  ['of a collector', 'observability: {tracing: {otlp: "https://user:s3cret-word@collector.example"}}'],
  ['of the request log', 'logging: {requests: {store: "postgres://gateway:s3cret-word@db.example/logs"}}'],
  ['of a proxy, without a user name', 'server: {egress: {proxy: "http://:s3cret-word@proxy.example:3128"}}'],
  ['of a proxy, in place of the user name', 'server: {egress: {proxy: "http://s3cret-word@proxy.example:3128"}}'],
])('literalSecrets() finds the password in the URL %s', (_of, yaml) => {
  const { file, text } = sourceFile('/gateway.yaml', 'gateway.yaml', `version: 1\n${yaml}\n`);
  const { root } = parse(
    file,
    text,
    () => {},
    () => {},
  );
  expect(root && literalSecrets(root)).toEqual(['s3cret-word']);
});

it.each([
  ['# api_key: an-old-value-0123456789', ['an-old-value-0123456789']],
  ['  api_key: ${env:KEY} # before: token: "t0k3n-of-last-year-2025"', ['t0k3n-of-last-year-2025']],
  ['#client_secret=Zm9yIHRoZSB0ZXN0IDEyMw==', ['Zm9yIHRoZSB0ZXN0IDEyMw==']],
  ['# {api_key: an-old-value-0123456789, name: b}', ['an-old-value-0123456789']],
  ['# api_key: ${env:OPENAI_API_KEY_2}', []],
  ['# token: the token of team 42 with many words', []],
  ['# password: in-the-vault-of-the-team', []],
  ['# private_key: /run/secrets/key-of-2026.pem', []],
  ['# token: https://docs.example/tokens-2026', []],
  ['# model: a-model-of-the-year-2026', []],
  ['api_key: an-old-value-0123456789', []],
  ['name: a#b api_key: an-old-value-0123456789', []],
])('commentSecrets() of %s returns %j', (text, secrets) => {
  expect(commentSecrets(`version: 1\n${text}\n`)).toEqual(secrets);
});

it.each([
  ['postgres://gateway:abc12@db/logs', 'postgres://gateway:…@db/logs'],
  ['postgres://gateway:${env:PW}@db/logs', 'postgres://gateway:${env:PW}@db/logs'],
  ['postgres://gateway:${env:PW:-abc12}@db/logs', 'postgres://gateway:${env:PW:-…}@db/logs'],
  ['postgres://gateway:${file:/run/pw}@db/logs', 'postgres://gateway:${file:/run/pw}@db/logs'],
  ['postgres://gateway-user@db/logs', 'postgres://gateway-user@db/logs'],
  ['http://t0k3n-of-2026@proxy:3128', 'http://…@proxy:3128'],
  ['http://${env:TOKEN}@proxy:3128', 'http://${env:TOKEN}@proxy:3128'],
  ['http://${env:USER}:abc12@proxy:3128', 'http://${env:USER}:…@proxy:3128'],
  ['http://us$er:abc12@proxy:3128', 'http://us$er:…@proxy:3128'],
  ['http://a@proxy:3128 and http://b:abc@c', 'http://a@proxy:3128 and http://b:…@c'],
  ['https://h.example/v1?sig=abc12&a=1', 'https://h.example/v1?sig=…&a=1'],
  ['https://h.example:8443/v1/a@b', 'https://h.example:8443/v1/a@b'],
])('maskUrlSecrets() shows %s as %s', (text, expected) => {
  expect(maskUrlSecrets(text)).toBe(expected);
});
