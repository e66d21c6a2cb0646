import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { findPython } from '../support/python.ts';
import { skipping } from '../support/skipping.ts';

/** The API description against the gateway: a tester that makes requests of every shape the description allows, and some it doesn't. */

const found = findPython();
const python = 'python' in found ? found.python : undefined;

/** Every request ends at the mock; `welcome` is a stored prompt. */
const file = `
version: 1
providers: {mock: {type: mock}}
prompts:
  welcome:
    model: "@mock/echo"
    messages: [{role: user, content: "Hello {{name}}"}]
    variables: {name: {default: you}}
`;

/** What no answer may do, whatever was sent. */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

let gateway: TestGateway;
let folder: string;

beforeAll(async () => {
  gateway = await startTestGateway(file);
  folder = await mkdtemp(join(tmpdir(), 'api-description-'));
});

afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs in a folder of its own: the tester leaves reports behind. */
function run(phases: string, examples: number): Promise<{ code: number | null; text: string }> {
  const args = ['-m', 'schemathesis.cli', 'run', `${gateway.url}/openapi.json`, '--url', gateway.url, '--no-color', '--seed', '1'];
  args.push('--header', 'x-gateway-provider: @mock', '--checks', checks.join(','), '--phases', phases, '-n', String(examples));
  return new Promise((resolve) => {
    const child = spawn(python ?? 'python3', args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.on('close', (code) => resolve({ code, text }));
  });
}

describe.skipIf(skipping(python === undefined ? 'there is no Python with schemathesis' : undefined))(
  'the API description, with the mock provider',
  () => {
    it.each([
      ['every limit of the description', 'examples,coverage', 1, 40],
      ['requests of any shape', 'fuzzing', 6, 40],
      ['requests that follow from answers', 'stateful', 6, 10],
    ])('holds for %s', async (_, phases, examples, operations) => {
      const { code, text } = await run(phases, examples);
      expect(`${code}\n${text.slice(-6000)}`).toMatch(/^0\n/);
      expect(Number(/Tested:\s+(\d+)/.exec(text)?.[1])).toBeGreaterThanOrEqual(operations);
    });
  },
);
