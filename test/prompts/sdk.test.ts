import { Portkey } from 'portkey-ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { python, runScript } from '../sdk/python.ts';
import { rawOf } from '../sdk/rig.ts';
import type { TestGateway } from '../support/gateway.ts';
import type { ScriptedUpstream } from '../support/upstream.ts';
import { appKey, lastBody, startChat, startPrompts } from './catalog.ts';
import { lacking } from '../support/skipping.ts';

/** The two client libraries that support stored prompts, changed only in base URL and key. */

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let baseURL: string;
beforeAll(async () => {
  upstream = await startChat();
  gateway = await startPrompts(upstream, true);
  baseURL = `${gateway.url}/v1`;
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});
beforeEach(() => {
  upstream.requests.length = 0;
});

const variables = { product: 'Kite', question: 'say "hi"\n' };
const messages = [
  { role: 'system', content: 'You greet customers of Kite in a friendly tone.' },
  { role: 'user', content: 'say "hi"\n' },
];

function noKeyOfOurs(): void {
  expect(upstream.requests.length).toBeGreaterThan(0);
  for (const request of upstream.requests) {
    expect(rawOf(request)).not.toContain(appKey);
    expect(rawOf(request)).not.toMatch(/x-(?:gateway|portkey)-/i);
    expect(request.headers.authorization).toBe('Bearer sk-upstream-0123456789abcdefgh');
  }
}

interface Rendered {
  readonly success: boolean;
  readonly data: { readonly model: string; readonly temperature: number; readonly messages: readonly unknown[] };
}
interface Chunk {
  readonly choices: readonly { readonly delta?: { readonly content?: string } }[];
}

describe('npm portkey-ai', () => {
  const client = (): Portkey => new Portkey({ baseURL, apiKey: appKey });

  it('runs a prompt', async () => {
    const completion = (await client().prompts.completions.create({ promptID: 'welcome', variables, temperature: 0.7 })) as unknown as {
      choices: readonly { message?: { content?: string } }[];
    };
    expect(completion.choices[0]?.message?.content).toBe('Grüße');
    expect(lastBody(upstream)).toMatchObject({ messages, temperature: 0.7, max_tokens: 300, stream: false });
    noKeyOfOurs();
  });

  it('streams a prompt', async () => {
    const stream = (await client().prompts.completions.create({
      promptID: 'welcome@production',
      variables,
      stream: true,
    })) as unknown as AsyncIterable<Chunk>;
    let text = '';
    for await (const { choices } of stream) text += choices[0]?.delta?.content ?? '';
    expect(text).toBe('Grüße');
    expect(lastBody(upstream)).toMatchObject({ messages, stream: true });
    noKeyOfOurs();
  });

  it('renders a prompt', async () => {
    const { success, data } = (await client().prompts.render({
      promptID: 'welcome@canary',
      variables,
      temperature: 0.7,
    })) as unknown as Rendered;
    expect([success, data.model, data.temperature, data.messages]).toEqual([
      true,
      '@second/gpt-4o',
      0.7,
      [{ role: 'user', content: 'Second of Kite' }],
    ]);
    expect(upstream.requests).toHaveLength(0);
    // Programs send the result as a chat completion.
    expect(Object.keys(data).sort()).toEqual(['messages', 'model', 'temperature']);
  });

  it('sends the options of the client for each call', async () => {
    await new Portkey({
      baseURL,
      apiKey: appKey,
      provider: '@second',
      traceID: 't-1',
      metadata: { team: 'web' },
    }).prompts.completions.create({
      promptID: 'welcome',
      variables,
    });
    const record = gateway.records.at(-1);
    expect(record).toMatchObject({ provider: 'second', trace: { trace_id: 't-1' }, prompt: { id: 'welcome', version: 1 } });
    expect(record?.metadata).toMatchObject({ team: 'web', prompt_team: 'hello' });
    noKeyOfOurs();
  });

  it('throws the error of the gateway for an unknown prompt', async () => {
    const error: unknown = await client()
      .prompts.completions.create({ promptID: 'welcom', variables })
      .then(() => undefined)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 404, message: expect.stringContaining('Did you mean') as string });
  });
});

describe.skipIf(lacking(python))('PyPI portkey-ai', () => {
  it('runs, streams and renders prompts', async () => {
    if ('missing' in python) return;
    const report = JSON.parse(await runScript(python.python, ['../prompts/client.py', baseURL, appKey])) as Record<string, unknown>;
    expect(report).toEqual({
      whole: 'Grüße',
      stream: 'Grüße',
      rendered: [true, '@second/gpt-4o', 'Second of Kite', 0.7],
      async: ['Grüße', 'Grüße'],
      refused: ['NotFoundError', 404, 'Error code: 404 - No prompt is named "welcom". Did you mean "welcome"?'],
    });
    expect(upstream.requests).toHaveLength(4);
    expect(JSON.parse(upstream.requests[0]?.body.toString() ?? '{}')).toMatchObject({ messages, temperature: 0.7, max_tokens: 5 });
    noKeyOfOurs();
  });
});
