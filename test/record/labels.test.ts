import { JsonBody } from '../../src/core/json/body.ts';
import type { Call, CommonSettings, Provider } from '../../src/core/provider.ts';
import { describe, expect, it } from 'vitest';
import { providers } from '../../plugins/index.ts';
import { begin, callOf } from '../contract/call.ts';
import { startTestGateway } from '../support/gateway.ts';
import { completion, json, startUpstream } from '../support/upstream.ts';

/** Labels of a request: what each provider receives, and that dropped labels are reported. */

const labels = { team: 'search' };

const typeOf = (name: string): Provider => {
  const found = providers.find((provider) => [provider.type, ...provider.aliases].includes(name));
  if (found === undefined) throw new Error(`no provider ${name}`);
  return found;
};

function sentBy(type: string, model: string, settings: CommonSettings & Readonly<Record<string, unknown>>) {
  const provider = typeOf(type);
  const deployment = provider.entry.deployment?.(settings, model);
  if (deployment instanceof Error) throw deployment;
  const call: Call<CommonSettings> = callOf({ settings, model, deployment });
  const body = JsonBody.of({ model, labels, messages: [{ role: 'user', content: 'hi' }] });
  const { request } = begin(provider, call, body);
  if (request.body.kind !== 'json') throw new Error('no body');
  return { body: request.body.value('labels'), dropped: request.dropped.map(({ param }) => param) };
}

const azure = { resource_name: 'contoso', deployments: { m: { deployment_id: 'd', api_version: '2024-10-21' } } };
const vertex = { project: 'acme', region: 'europe-west1' };

describe('labels of a request', () => {
  it.each<[string, string, CommonSettings & Readonly<Record<string, unknown>>, boolean]>([
    ['openai', 'm', {}, false],
    ['openai', 'm', { custom_host: 'https://host.example/v1' }, true],
    ['openai', 'm', { custom_host: 'https://host.example/v1', extensions: 'drop' }, false],
    ['openai', 'm', { extensions: 'pass' }, true],
    ['azure-openai', 'm', azure, false],
    ['vertex-ai', 'gemini-2.5-pro', vertex, true],
    ['gemini', 'gemini-2.5-pro', {}, false],
    ['anthropic', 'claude-sonnet-4-5', {}, false],
  ])('for %s, model %s and settings %j are sent: %s', (type, model, settings, isSent) => {
    expect(sentBy(type, model, settings)).toEqual({ body: isSent ? labels : undefined, dropped: isSent ? [] : ['labels'] });
  });

  it('are recorded with those of the config, sent or not', async () => {
    const upstream = await startUpstream((response) => json(response, 200, completion('x')));
    const gateway = await startTestGateway(`
version: 1
providers:
  pass: {type: openai, api_key: sk-0123456789, custom_host: "${upstream.url}/v1"}
  drop: {type: openai, api_key: sk-0123456789, custom_host: "${upstream.url}/v1", extensions: drop}
configs:
  pass: {labels: {team: search}, targets: [pass/m]}
  drop: {labels: {team: search}, targets: [drop/m]}
`);
    try {
      for (const config of ['pass', 'drop']) {
        const response = await fetch(`${gateway.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-gateway-config': config },
          body: JSON.stringify({ model: 'm', labels: { app: 'shop' }, messages: [] }),
        });
        const record = await gateway.record(response.headers.get('x-request-id'));
        const sent = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? '') as object;
        expect(record.labels).toEqual({ team: 'search', app: 'shop' });
        expect(sent).toMatchObject(config === 'pass' ? { labels: { team: 'search', app: 'shop' } } : {});
        expect('labels' in sent).toBe(config === 'pass');
        expect(record.dropped.map(({ param }) => param)).toEqual(config === 'pass' ? [] : ['labels']);
      }
    } finally {
      await gateway.close();
      await upstream.close();
    }
  });
});
