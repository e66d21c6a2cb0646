import { request } from 'node:http';
import { toFile } from 'openai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jsonl, line, linesOf, type Rig, startRig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.close());
beforeEach(() => {
  rig.cloud.objects.stored.clear();
  rig.cloud.takeRequests();
});
afterEach(() => {
  rig.cloud.interrupt = undefined;
});

const storedUris = (): string[] => [...rig.cloud.objects.stored.keys()];

type Field = readonly [name: string, value: string, filename?: string];

/** A form with its fields in the given order. */
function form(...parts: readonly Field[]): FormData {
  const data = new FormData();
  for (const [name, value, filename] of parts) {
    if (filename === undefined) data.append(name, value);
    else data.append(name, new Blob([value]), filename);
  }
  return data;
}
const post = (data: FormData, headers: Record<string, string> = {}) => rig.fetch('/files', { method: 'POST', body: data, headers });

describe('POST /v1/files', () => {
  it('stores the file under a unique name with its metadata', async () => {
    const content = `${line('a', 'Hi')}\n`;
    const responses = await Promise.all([1, 2].map(() => post(form(['purpose', 'batch'], ['file', content, 'a b.jsonl']))));
    const files = (await Promise.all(responses.map((one) => one.json()))) as { id: string; bytes: number }[];
    const uris = storedUris();
    expect(uris).toEqual(expect.arrayContaining(files.map(({ id }) => decodeURIComponent(id))));
    expect(new Set(uris).size).toBe(2);
    for (const uri of uris) {
      expect(uri).toMatch(/^gs:\/\/acme-data\/gateway\/files\/\d{10}-req_[0-9A-Z]{26}\/a b\.jsonl$/);
      expect(rig.cloud.objects.stored.get(uri)?.metadata).toEqual({
        purpose: 'batch',
        model: 'gemini-2.5-flash',
        endpoint: '/v1/chat/completions',
      });
    }
    const bytes = Buffer.byteLength(rig.cloud.objects.text(uris[0] ?? ''));
    expect(files[0]).toEqual({
      id: expect.any(String) as string,
      object: 'file',
      bytes,
      created_at: 1_793_610_000,
      filename: 'a b.jsonl',
      purpose: 'batch',
      status: 'processed',
    });
  });

  it.each([
    [
      'before the file',
      form(['purpose', 'fine-tune'], ['file', '{"messages": [{"role": "user", "content": "Hi"}]}\n', 'x.jsonl']),
      {},
      'fine-tune',
    ],
    [
      'after the file',
      form(['file', '{"messages": [{"role": "user", "content": "Hi"}]}\n', 'x.jsonl'], ['purpose', 'fine-tune']),
      {},
      'fine-tune',
    ],
    [
      'in the header',
      form(['file', '{"messages": [{"role": "user", "content": "Hi"}]}\n', 'x']),
      { 'x-gateway-file-purpose': 'fine-tune' },
      'fine-tune',
    ],
    ['derived from the lines', form(['file', '{"messages": [{"role": "user", "content": "Hi"}]}\n', 'x.jsonl']), {}, 'fine-tune'],
  ])('reads the purpose %s', async (_, data, headers, purpose) => {
    const file = (await (await post(data, headers)).json()) as { id: string };
    expect(file).toMatchObject({ purpose });
    expect(linesOf(rig.cloud.objects.text(decodeURIComponent(file.id)))).toEqual([
      { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    ]);
    expect(await (await rig.fetch(`/files/${file.id}`)).json()).toEqual(file);
  });

  it('stores binary content unchanged', async () => {
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, at) => at % 256));
    for (const [purpose, name] of [
      ['user_data', 'x.jsonl'],
      ['vision', 'x.png'],
      ['batch_output', 'y.jsonl'],
    ] as const) {
      const file = await rig
        .client()
        .files.create(
          { file: await toFile(bytes, name), purpose: purpose as 'vision' },
          { headers: { 'x-gateway-file-purpose': purpose } },
        );
      expect(rig.cloud.objects.stored.get(decodeURIComponent(file.id))?.bytes.equals(bytes)).toBe(true);
      expect(file).toMatchObject({ purpose, bytes: 512, filename: name });
    }
  });

  it('stores lines in the native format unchanged', async () => {
    const rows = '{"request": {"contents": []}, "requestId": "a", "n": 1.0}\n{"request":{}}\n';
    const file = await rig.client().files.create({ file: await toFile(Buffer.from(rows), 'x.jsonl'), purpose: 'batch' });
    expect(rig.cloud.objects.text(decodeURIComponent(file.id))).toBe(rows);
  });

  it('reports parameters that were dropped from lines', async () => {
    const response = await post(
      form(['file', `${line('a', 'Hi', undefined, { logit_bias: { 1: 1 } })}\n`, 'x.jsonl'], ['purpose', 'batch']),
    );
    expect([response.status, response.headers.get('x-gateway-dropped-params')]).toEqual([200, 'logit_bias']);
  });

  it.each([
    ['before the file', (kept: Field[], file: Field) => form(...kept, ['purpose', 'user_data'], file)],
    ['after the file', (kept: Field[], file: Field) => form(['purpose', 'user_data'], file, ...kept)],
  ])('reports expires_after as dropped if it is sent %s', async (_, makeForm) => {
    const fieldsBefore: Field[] = [
      ['expires_after[anchor]', 'created_at'],
      ['expires_after[seconds]', '3600'],
    ];
    const response = await post(makeForm(fieldsBefore, ['file', 'x', 'x.txt']));
    const dropped = response.headers.get('x-gateway-dropped-params')?.split(', ').sort();
    expect([response.status, dropped]).toEqual([200, ['expires_after[anchor]', 'expires_after[seconds]']]);
  });

  it.each([
    ['of an unsupported model', [line('a', 'x'), line('b', 'x', 'endpoints.5')], 'file.2.body.model'],
    ['of another model', [line('a', 'x'), line('b', 'x', 'gemini-2.5-pro')], 'file.2.body.model'],
    ['that is not JSON', [line('a', 'x'), '{'], 'file.2'],
  ])('rejects a file with a line %s, reports the line number and stores nothing', async (_, rows, param) => {
    const data = form(['purpose', 'batch'], ['file', rows.join('\n'), 'x.jsonl']);
    const response = await post(data);
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { param, message: expect.stringContaining('Line 2 of the file') as string } },
    ]);
    expect(storedUris()).toEqual([]);
  });

  it('returns the file with a warning if its metadata cannot be stored', async () => {
    rig.cloud.interrupt = (parsed, response) => {
      if (parsed.method !== 'PATCH') return false;
      response
        .writeHead(403, { 'content-type': 'application/json' })
        .end('{"error": {"code": 403, "message": "no storage.objects.update"}}');
      return true;
    };
    const response = await post(form(['purpose', 'batch'], ['file', line('a', 'Hi'), 'x.jsonl']));
    expect([response.status, response.headers.get('x-gateway-warnings')]).toEqual([200, expect.stringContaining('status 403')]);
    expect(await response.json()).toMatchObject({ object: 'file', purpose: 'batch', filename: 'x.jsonl' });
  });

  it.each([
    ['without a file', form(['purpose', 'batch']), {}, 400, 'missing_required_parameter'],
    [
      'without a bucket',
      form(['purpose', 'batch'], ['file', 'x', 'x.bin']),
      { 'x-gateway-virtual-key': 'bare' },
      400,
      'missing_required_parameter',
    ],
    [
      'for a bucket of the request',
      form(['file', 'x', 'x.bin']),
      { 'x-gateway-vertex-storage-bucket-name': 'foreign' },
      403,
      'not_allowed',
    ],
  ])('is rejected %s', async (_, data, headers, status, code) => {
    const response = await post(data, headers);
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }]);
    expect(storedUris()).toEqual([]);
  });
});

describe('one file', () => {
  const uri = 'gs://acme-data/gateway/files/some where/100% ü?.bin';
  const id = encodeURIComponent(uri);

  /** Sends a path unchanged, as a library does; `fetch` would normalize it. */
  const raw = (path: string): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(rig.gateway.url);
      const sent = request({ hostname, port, path, headers: { 'x-gateway-virtual-key': 'vertex' } }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      sent.on('error', reject).end();
    });

  it.each([
    ['encoded once', id],
    ['encoded twice', encodeURIComponent(id)],
  ])('is found by its id %s', async (_, sent) => {
    rig.cloud.objects.put(uri, 'bytes');
    const { status, text } = await raw(`/v1/files/${sent}`);
    expect([status, JSON.parse(text)]).toMatchObject([
      200,
      { id, bytes: 5, filename: '100% ü?.bin', purpose: 'user_data', created_at: 1_793_610_000 },
    ]);
  });

  it('is read completely and in ranges', async () => {
    rig.cloud.objects.put(uri, '0123456789');
    expect(await (await rig.client().files.content(id)).text()).toBe('0123456789');
    // The storage does not know the condition, so the part could be from another version of the file.
    const resumed = await rig.fetch(`/files/${encodeURIComponent(id)}/content`, { headers: { range: 'bytes=2-4', 'if-range': '"e1"' } });
    expect(resumed.status).toBe(200);
    await resumed.text();
    const part = await rig.fetch(`/files/${encodeURIComponent(id)}/content`, { headers: { range: 'bytes=2-4' } });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-4/10', '234']);
  });

  it('is deleted', async () => {
    rig.cloud.objects.put(uri, 'x');
    expect(await rig.client().files.delete(id)).toEqual({ id, object: 'file', deleted: true });
    expect(storedUris()).toEqual([]);
    await expect(rig.client().files.delete(id)).rejects.toMatchObject({ status: 404 });
  });

  it.each([
    ['in a bucket that the operator only named', 'gs://acme-more/gateway/files/x'],
    ['that the gateway did not write', 'gs://acme-data/x'],
    ['that only resembles one of the gateway', 'gs://acme-data/gateway-files/x'],
  ])('is not deleted %s', async (_, other) => {
    rig.cloud.objects.put(other, 'open');
    await expect(rig.client().files.delete(other)).rejects.toMatchObject({ status: 403, code: 'not_allowed' });
    expect(storedUris()).toEqual([other]);
  });

  it.each([
    ['that is not there', 'gs://acme-data/gateway/files/none', 404],
    ['that the gateway did not write', 'gs://acme-data/x', 200],
    ['that a batch wrote', 'gs://acme-data/gateway/batches/1-r/x', 200],
    ['of another provider', 'file-abc', 404],
    ['in a foreign bucket', 'gs://foreign/x', 403],
    ['in a bucket that the operator allows', 'gs://acme-more/x', 200],
  ])('%s returns $2', async (_, sent, status) => {
    rig.cloud.objects.put('gs://foreign/x', 'secret');
    rig.cloud.objects.put('gs://acme-more/x', 'open');
    rig.cloud.objects.put('gs://acme-data/x', 'open');
    rig.cloud.objects.put('gs://acme-data/gateway/batches/1-r/x', 'open');
    for (const tail of ['', '/content']) expect((await rig.fetch(`/files/${encodeURIComponent(sent)}${tail}`)).status).toBe(status);
    expect(rig.cloud.takeRequests().join()).not.toContain('foreign');
  });
});

describe('GET /v1/files', () => {
  const store = (name: string, purpose?: string): string => {
    const uri = `gs://acme-data/${name}`;
    rig.cloud.objects.put(uri, 'x');
    const stored = rig.cloud.objects.stored.get(uri);
    if (stored !== undefined && purpose !== undefined) stored.metadata = { purpose };
    return encodeURIComponent(uri);
  };

  it('lists all files that the gateway stored, over several pages', async () => {
    const ids = Array.from({ length: 25 }, (_, at) => store(`gateway/files/${String(at).padStart(10, '0')}-r/x`, 'batch'));
    store('other/x');
    const listed: string[] = [];
    for await (const file of rig.client().files.list({ limit: 10 })) listed.push(file.id);
    expect(listed).toEqual(ids);
  });

  it('filters by purpose', async () => {
    const [, tuning, output] = [
      store('gateway/files/1-r/a', 'batch'),
      store('gateway/files/2-r/b', 'fine-tune'),
      store('gateway/batches/1-r/chat_completions/m/prediction-1/predictions.jsonl'),
    ];
    const ids = async (query: string) =>
      ((await (await rig.fetch(`/files?${query}`)).json()) as { data: { id: string }[] }).data.map(({ id }) => id);
    expect(await ids('purpose=fine-tune')).toEqual([tuning]);
    expect(await ids('purpose=batch_output')).toEqual([output]);
    expect(await ids('purpose=vision')).toEqual([]);
  });

  it('reads several pages of the provider', async () => {
    for (let at = 0; at < 2100; at += 1) store(`gateway/files/${String(at).padStart(10, '0')}-r/x`, at === 2050 ? 'fine-tune' : 'batch');
    const all = (await (await rig.fetch('/files')).json()) as { data: unknown[]; has_more: boolean };
    expect([all.data.length, all.has_more]).toEqual([2100, false]);
    const found = (await (await rig.fetch('/files?purpose=fine-tune&limit=5')).json()) as { data: unknown[] };
    expect(found.data).toHaveLength(1);
  });

  it('names the purpose if many files have another one', async () => {
    for (let at = 0; at < 4001; at += 1) store(`gateway/files/${String(at).padStart(10, '0')}-r/x`, 'batch');
    const response = await rig.fetch('/files?purpose=vision');
    const error = { param: 'purpose', message: expect.stringContaining('4000 files') as string };
    expect([response.status, await response.json()]).toMatchObject([400, { error }]);
  });

  it.each([
    ['after=file-abc', 404],
    [`after=${encodeURIComponent('gs://foreign/x')}`, 400],
    ['limit=0', 400],
  ])('rejects %s', async (query, status) => {
    expect((await rig.fetch(`/files?${query}`)).status).toBe(status);
  });

  it('reports order as dropped', async () => {
    expect((await rig.fetch('/files?order=asc')).headers.get('x-gateway-dropped-params')).toBe('order');
  });
});

it('POST /v1/files streams a file that is larger than the memory limit', async () => {
  const row = line('a', 'x'.repeat(1000));
  const file = await rig.client().files.create({ file: await jsonl(Array.from({ length: 8000 }, () => row)), purpose: 'batch' });
  const rows = linesOf(rig.cloud.objects.text(decodeURIComponent(file.id)));
  expect([rows.length, rows[7999]?.['requestId']]).toEqual([8000, 'a']);
});

it('a fallback uses the next provider for an id in another format', async () => {
  rig.cloud.interrupt = (parsed, response) => {
    if (parsed.path !== '/other/v1/files/file-abc') return false;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"id": "file-abc", "object": "file"}');
    return true;
  };
  const response = await rig.fetch('/files/file-abc', { headers: { 'x-gateway-virtual-key': '', 'x-gateway-config': 'both' } });
  expect([response.status, await response.json()]).toMatchObject([200, { id: 'file-abc' }]);
});

it('a request can never choose the host of object storage', async () => {
  const config = {
    provider: 'vertex-ai',
    vertex_region: 'europe-west1',
    vertex_project_id: 'p',
    storage_host: rig.cloud.upstream.url,
    storage_bucket: 'foreign',
  };
  const headers = { 'x-gateway-virtual-key': '', 'x-gateway-config': JSON.stringify(config), authorization: 'Bearer ya29.x' };
  const response = await rig.fetch('/files', { headers });
  expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'invalid_config' } }]);
  expect(rig.cloud.takeRequests()).toEqual([]);
});
