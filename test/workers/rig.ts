import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Status, WorkerView } from '../../src/admin/api-types.ts';
import { guardHeader } from '../../src/admin/http/guard.ts';
import { startProcess, type Running } from '../cli/process.ts';
import { until } from '../support/gateway.ts';

export const token = 'token-of-the-operator-0001';

/** A gateway with two workers, as `gateway start` runs it. */
export interface Fleet {
  readonly running: Running;
  readonly dir: string;
  /** Base URL without `/v1`. */
  readonly url: string;
  readonly admin: string;
  /** Sends a chat request on a new connection. */
  send(body?: object, headers?: Record<string, string>): Promise<ReceivedResponse>;
  /** Calls the admin API. */
  callAdmin<T>(path: string, method?: 'GET' | 'POST'): Promise<T>;
  metrics(): Promise<Map<string, number>>;
  workers(): Promise<readonly WorkerView[]>;
  /** Writes the configuration and reloads it. */
  reload(yaml: string): Promise<{ readonly result: string; readonly revision: string; readonly reason: string | null }>;
  end(): Promise<void>;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly id: string;
  /** Parameters that were dropped. */
  readonly dropped: string;
  readonly text: string;
}

export const usual = `version: 1
server: {workers: 2, admin: {token: "${token}"}}
providers: {mock: {type: mock, replies: {hello: {text: one}, slow: {text: "a b c d e f g h", chunk_delay: 100ms}}}}
observability: {metrics: {}}
`;

export async function startFleet(
  yaml = usual,
  files: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<Fleet> {
  const dir = await mkdtemp(join(tmpdir(), 'workers-'));
  for (const [name, text] of Object.entries({ 'gateway.yaml': yaml, ...files })) await writeFile(join(dir, name), text);
  const listen = flags.includes('--listen') ? [] : ['--listen', '127.0.0.1:0'];
  const running = startProcess(['start', ...listen, '--admin-listen', '127.0.0.1:0', '--log-format', 'json', '--no-watch', ...flags], dir);
  const [, url = ''] = await running.waitForOutput(/"url":"([^"]+?)(?:\/v1)?"/);
  const [, admin = ''] = await running.waitForOutput(/"dashboard":"([^"]+)"/);
  const callAdmin = async <T>(path: string, method = 'GET'): Promise<T> => {
    const response = await fetch(`${admin}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', [guardHeader]: '1' },
      ...(method === 'POST' ? { body: '{}' } : {}),
    });
    const text = await response.text();
    return (response.headers.get('content-type')?.startsWith('application/json') === true ? JSON.parse(text) : text) as T;
  };
  return {
    running,
    dir,
    url,
    admin,
    send: (body = {}, headers = {}) => sendChat(url, body, headers),
    callAdmin,
    metrics: async () => readMetrics(await callAdmin<string>('/metrics')),
    workers: async () => (await callAdmin<Status>('/api/status')).workers,
    reload: async (text) => {
      await writeFile(join(dir, 'gateway.yaml'), text);
      return await callAdmin('/api/reload', 'POST');
    },
    end: async () => {
      running.child.kill('SIGKILL');
      await running.ended;
      await rm(dir, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/** Rejects if the response is incomplete. */
export function sendChat(url: string, body: object, headers: Record<string, string> = {}): Promise<ReceivedResponse> {
  const text = JSON.stringify({ model: '@mock/hello', messages: [{ role: 'user', content: 'x' }], ...body });
  const target = url.startsWith('unix:') ? { socketPath: url.slice(5), host: 'localhost' } : new URL(url);
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      agent: false,
      path: '/v1/chat/completions',
      headers: { 'content-type': 'application/json', ...headers },
    };
    const sent = 'socketPath' in target ? request({ ...target, ...options }) : request(target, options);
    sent.on('error', reject);
    sent.on('response', (response) => {
      let received = '';
      response.setEncoding('utf8').on('data', (piece: string) => (received += piece));
      response.on('error', reject);
      response.on('end', () => {
        const { 'x-request-id': id, 'x-gateway-dropped-params': dropped = '' } = response.headers;
        resolve({ status: response.statusCode ?? 0, id: String(id), dropped: String(dropped), text: received });
      });
    });
    sent.end(text);
  });
}

/** `name{labels}` → value. */
export function readMetrics(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
}

/** Sends requests until each worker has completed some. */
export async function reachBoth(fleet: Fleet): Promise<readonly ReceivedResponse[]> {
  const before = await fleet.workers();
  const responses: ReceivedResponse[] = [];
  await until(async () => {
    responses.push(...(await Promise.all(Array.from({ length: 8 }, () => fleet.send()))));
    const now = await fleet.workers();
    return now.every(({ requests }, at) => requests > (before[at]?.requests ?? 0));
  }, 'both workers to serve');
  return responses;
}

/** Whether a process exists. */
export function isAlive(pid: number | null): boolean {
  try {
    return pid !== null && process.kill(pid, 0);
  } catch {
    return false;
  }
}
