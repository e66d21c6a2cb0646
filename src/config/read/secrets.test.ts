import { expect, it } from 'vitest';
import { literalSecrets } from './secrets.ts';
import { parse, sourceFile } from './yaml/parse.ts';

it.each([
  ['of a custom host', 'providers: {own: {type: openai, custom_host: "https://user:s3cret-word@host.example/v1"}}'],
  ['of a collector', 'observability: {tracing: {otlp: "https://user:s3cret-word@collector.example"}}'],
  ['of the request log', 'logging: {requests: {store: "postgres://gateway:s3cret-word@db.example/logs"}}'],
])('the password in the address %s is a secret', (_of, yaml) => {
  const { file, text } = sourceFile('/gateway.yaml', 'gateway.yaml', `version: 1\n${yaml}\n`);
  const { root } = parse(
    file,
    text,
    () => {},
    () => {},
  );
  expect(root && literalSecrets(root)).toEqual(['s3cret-word']);
});
