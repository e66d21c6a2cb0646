import { describe, expect, it } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';

const file = (declared: string, instance: string): Readonly<Record<string, string>> => ({
  'own.ts': `export default { name: 'own', options: { type: 'object' }, ${declared} setup: (_options, host) => (${instance}) };`,
});
const chainOf = (plugins: string): string => `version: 1\nproviders: {mock: {type: mock, models: [echo]}}\nplugins: ${plugins}\n`;

describe('the declaration of a plugin', () => {
  it.each([
    ["moments: ['admit'],", '{}', 'it declares "admit" in moments without implementing it'],
    ["moments: ['record'],", '{ record() {}, judge() {} }', 'it implements "judge" without declaring it in moments'],
    ['', '{ admitt() {} }', 'it implements "admitt", which is no moment. Did you mean "admit"?'],
    ['', 'undefined', 'its setup returned no object with moments'],
  ])('causes a start error if it does not match the implementation: "%s" with %s', async (declared, instance, message) => {
    const start = startTestGateway(chainOf('[routing, transform, {use: ./own.ts}]'), { files: file(declared, instance) });
    await expect(start).rejects.toThrow(`plugin "own" could not be set up: ${message}`);
  });

  it('limits it to the listed endpoints', async () => {
    const gateway = await startTestGateway(chainOf('[routing, transform, {use: ./own.ts}]'), {
      files: file("endpoints: ['models'],", '{ admit(ctx) { host.note(ctx, { called: ctx.path }); } }'),
    });
    try {
      expect(gateway.gateway.steps()).toContainEqual({ name: 'own', moments: ['admit'] });
      const models = await fetch(`${gateway.url}/v1/models`);
      expect(await models.json()).toMatchObject({ data: [{ id: '@mock/echo' }] });
      const chat = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: '@mock/echo', messages: [{ role: 'user', content: 'hello' }] }),
      });
      expect((await gateway.record(chat.headers.get('x-request-id'))).plugins.map(({ name }) => name)).not.toContain('own');
      // The plugin that responds is listed even if the chain does not name it.
      const { plugins, notes } = await gateway.record(models.headers.get('x-request-id'));
      expect(plugins.map(({ name }) => name)).toEqual(['own', 'routing', 'models']);
      expect(notes).toEqual({ own: { called: '/v1/models' } });
    } finally {
      await gateway.close();
    }
  });
});

it('responds with the content type that a plugin sets, else with JSON', async () => {
  const plan = `plan({ headers }) {
    const type = headers.get('x-type');
    return { answer: { status: 200, headers: type === undefined ? [] : ['Content-Type', type], body: Buffer.from('1') } };
  }`;
  const gateway = await startTestGateway(chainOf('[routing, {use: ./own.ts}]'), { files: file('', `{ ${plan} }`) });
  const typeFor = async (headers: Record<string, string>) =>
    (await fetch(`${gateway.url}/v1/models`, { headers })).headers.get('content-type');
  try {
    expect([await typeFor({}), await typeFor({ 'x-type': 'text/csv' })]).toEqual(['application/json', 'text/csv']);
  } finally {
    await gateway.close();
  }
});

describe('the plugins prompts, models and cache', () => {
  it.each([
    ['[routing, transform]', ['prompts', 'feedback', 'routing', 'transform', 'models', 'cache']],
    ['[prompts, routing, models, transform]', ['feedback', 'prompts', 'routing', 'models', 'transform', 'cache']],
  ])('are added to the chain %s', async (plugins, steps) => {
    const prompts = 'prompts: {hello: {model: "@mock/echo", messages: [{role: user, content: "Hello {{name}}"}]}}\n';
    const gateway = await startTestGateway(chainOf(plugins) + prompts);
    try {
      expect(gateway.gateway.steps().map(({ name }) => name)).toEqual(steps);
      const response = await fetch(`${gateway.url}/v1/prompts/hello/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"variables":{"name":"Ada"}}',
      });
      expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'Hello Ada' } }] });
      expect(response.headers.get('x-gateway-prompt')).toBe('hello@1');
      expect(await (await fetch(`${gateway.url}/v1/models/@mock/echo`)).json()).toMatchObject({ id: '@mock/echo' });
    } finally {
      await gateway.close();
    }
  });
});
