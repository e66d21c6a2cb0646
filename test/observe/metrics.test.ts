import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsTable } from '../../src/telemetry/metrics/table.ts';
import { adminUrl, call } from '../admin/client.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { lacking } from '../support/skipping.ts';
import { promtool } from './promtool.ts';

const secret = 'canary-secret-of-the-metrics-test';
const callerKey = 'gwk-canary-key-of-the-metrics-test';
const dir = mkdtempSync(join(tmpdir(), 'metrics-'));
const yaml = (observability: string, more = '') => `
version: 1
server: {probe_listen: "unix:${dir}/probe.sock", admin: {listen: 127.0.0.1:0}}
providers:
  mock: {type: mock, api_key: "\${env:SECRET}"}
  down: {type: mock, replies: {x: {status: 500, error: broken}}}
api_keys:
  app: {hash: "sha256:${createHash('sha256').update(callerKey).digest('hex')}", expires: 2099-03-01}
configs:
  both: {strategy: {mode: fallback}, targets: [down/x, mock/echo]}
observability: ${observability}
${more}`;

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway(yaml('{metrics: {path: /measures, metadata_labels: [team]}}'), {
    env: { SECRET: secret },
    admin: true,
  });
});
afterAll(async () => {
  await gateway?.close();
  rmSync(dir, { recursive: true });
});

function scrape(path: string, method = 'GET'): Promise<{ status: number | undefined; type: string | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    request({ socketPath: join(dir, 'probe.sock'), path, method, agent: false }, (response) => {
      void text(response).then((body) => resolve({ status: response.statusCode, type: response.headers['content-type'], body }));
    })
      .on('error', reject)
      .end();
  });
}

async function chat(model: string, headers: Record<string, string> = {}, stream = false): Promise<void> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${callerKey}`, ...headers },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'hi' }] }),
  });
  await response.text();
  await gateway.record(response.headers.get('x-request-id'));
}

describe('the metrics of a running gateway', () => {
  beforeAll(async () => {
    await chat('@mock/echo', { 'x-gateway-metadata': '{"team":"we\\"b\\\\"}' });
    await chat('echo', { 'x-gateway-config': 'both' });
    await chat('@down/x');
    await chat('@down/x');
    await chat('@nobody/x', { authorization: 'Bearer wrong' });
  });

  it('count requests, fallbacks and the state of providers', async () => {
    const { status, type, body } = await scrape('/measures');
    expect(status).toBe(200);
    expect(type).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(body.split('\n')).toEqual(
      expect.arrayContaining([
        'gateway_requests_total{config="-",provider="mock",model="echo",status="200",key="app",meta_team="we\\"b\\\\"} 1',
        'gateway_requests_total{config="both",provider="mock",model="echo",status="200",key="app",meta_team="-"} 1',
        'gateway_requests_total{config="-",provider="-",model="-",status="401",key="-",meta_team="-"} 1',
        'gateway_fallbacks_total{config="both",from="down",to="mock",reason="500"} 1',
        'gateway_provider_up{provider="mock"} 1',
        'gateway_provider_up{provider="down"} 0',
        'gateway_inflight_requests 0',
        'gateway_open_streams 0',
        'gateway_config_last_reload_successful 1',
        `gateway_config_info{revision="${gateway.gateway.snapshot().revision}"} 1`,
        'gateway_key_expiry_timestamp_seconds{key="app"} 4076006400',
        'gateway_log_dropped_total{what="records"} 0',
        'gateway_log_problems 0',
        expect.stringMatching(/^gateway_log_spool_limit_bytes [1-9]/) as string,
        expect.stringMatching(/^gateway_log_lag_seconds \d/) as string,
      ]),
    );
  });

  it('do not count an error as a first token', async () => {
    await chat('@down/x', {}, true);
    await chat('@mock/echo', {}, true);
    const { body } = await scrape('/measures');
    expect(body).not.toContain('gateway_time_to_first_token_seconds_count{provider="down"');
    expect(body).toContain('gateway_time_to_first_token_seconds_count{provider="mock",model="echo"} 1\n');
  });

  it('have only names of the metrics table', async () => {
    const { body } = await scrape('/measures');
    const metricNames = new Set([...body.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name ?? ''));
    const documented = new Set(metricsTable.map(({ name }) => name));
    expect([...metricNames].filter((name) => !documented.has(name))).toEqual([]);
    expect(metricNames.size).toBeGreaterThan(30);
    for (const line of body.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
      const name = /^\w+/.exec(line)?.[0].replace(/_(?:bucket|sum|count)$/, '') ?? '';
      expect(metricNames.has(name) || metricNames.has(/^\w+/.exec(line)?.[0] ?? ''), line).toBe(true);
    }
  });

  it('contain no secret', async () => {
    const { body } = await scrape('/measures');
    expect(body).not.toContain(secret);
    expect(body).not.toContain(callerKey);
  });

  it('are available on the admin listener', async () => {
    const { status, headers, text: body } = await call(adminUrl(gateway), '/measures');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(body).toContain('gateway_config_last_reload_successful 1\n');
    expect((await call(adminUrl(gateway), '/metrics')).text).not.toContain('gateway_config');
  });

  it('are not available on the data listener or another path', async () => {
    expect((await scrape('/metrics')).status).toBe(404);
    expect((await scrape('/measures', 'POST')).status).toBe(405);
    expect(await scrape('/measures', 'HEAD')).toMatchObject({ status: 200, body: '' });
    const onData = await fetch(`${gateway.url}/measures`, { headers: { authorization: `Bearer ${callerKey}` } });
    expect(await onData.text()).not.toContain('gateway_requests_total');
  });

  it.skipIf(lacking(promtool))('pass promtool check metrics', async () => {
    const { body } = await scrape('/measures');
    const run = spawnSync('promtool', ['check', 'metrics'], { input: body, encoding: 'utf8' });
    expect(run.stdout + run.stderr).toBe('');
    expect(run.status).toBe(0);
  });

  it('show a failed reload and respect changed settings', async () => {
    await gateway.write('version: 2');
    await gateway.gateway.reload();
    expect((await scrape('/measures')).body).toContain('gateway_config_last_reload_successful 0\n');
    await gateway.write(yaml('{metrics: {path: /other}}'));
    await gateway.gateway.reload();
    const { body } = await scrape('/other');
    expect(body).toContain('gateway_config_last_reload_successful 1\n');
    expect(body).toContain('gateway_fallbacks_total{config="both",from="down",to="mock",reason="500"} 1\n');
    await gateway.write(yaml('{metrics: off}'));
    await gateway.gateway.reload();
    expect((await scrape('/other')).status).toBe(404);
    expect((await scrape('/metrics')).status).toBe(404);
  });
});
