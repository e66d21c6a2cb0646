import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { root } from '../repo/tree.ts';
import { startTestGateway } from '../support/gateway.ts';
import { chunks, completion, json, sse, startUpstream } from '../support/upstream.ts';
import { skipping } from '../support/skipping.ts';

const hasJava = spawnSync('java', ['-version']).status === 0;
const run = promisify(execFile);

it.skipIf(skipping(hasJava ? undefined : 'there is no java'))('the HTTP client of Java gets a response to every request', async () => {
  const upstream = await startUpstream((response, { body }) => {
    if (body.includes('"stream":true')) sse(response, chunks('hi'));
    else json(response, 200, completion('hi'));
  });
  const yaml = `
version: 1
providers: {main: {type: openai, api_key: sk-0123456789, custom_host: "${upstream.url}/v1"}}
`;
  const gateway = await startTestGateway(yaml);
  try {
    const { stdout } = await run('java', [join(root, 'test/listener/Client.java'), gateway.url]);
    const lines = ['sized', 'chunked', 'streamed', 'large'].flatMap((name) => Array(2).fill(`${name} 200 HTTP_1_1 true`));
    expect(stdout.trim().split('\n')).toEqual(lines);
    expect(upstream.requests).toHaveLength(8);
  } finally {
    await gateway.close();
    await upstream.close();
  }
});
