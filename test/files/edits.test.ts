import { MemoryBudget, MemoryReservation } from '../../src/core/memory/budget.ts';
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FormBytes, FormEdit, LineEdit } from '../../src/core/http/form.ts';
import { ClientBodyReader } from '../../src/transport/inbound/multipart/client-body-reader.ts';
import { IncomingForm } from '../../src/transport/inbound/multipart/incoming-form.ts';
import { createSweeper } from '../../src/transport/wire/sweeper.ts';
import { boundary, contentType, formOf, type PartText } from './rig.ts';
import { TimerWheel } from '../../src/transport/wire/timer-wheel.ts';

const sweeper = createSweeper(
  new TimerWheel(),
  () => performance.now(),
  (error) => {
    throw error;
  },
);

/** A request whose body arrives in these chunks. */
function requestOf(chunks: readonly Buffer[]): IncomingMessage {
  const remaining = [...chunks];
  let isPaused = false;
  const emitter = new EventEmitter();
  const pump = (): void => {
    if (isPaused) return;
    const chunk = remaining.shift();
    if (chunk === undefined) emitter.emit('end');
    else {
      emitter.emit('data', chunk);
      setImmediate(pump);
    }
  };
  setImmediate(pump);
  return Object.assign(emitter, {
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      if (isPaused) setImmediate(pump);
      isPaused = false;
    },
  }) as unknown as IncomingMessage;
}

async function formFrom(bytes: Buffer, size: number, isBuffered: boolean): Promise<IncomingForm> {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  const limit = { bytes: Number.POSITIVE_INFINITY, setting: 'none' };
  const source = new ClientBodyReader(requestOf(chunks), limit, { sweeper, monotonic: () => performance.now(), passed: () => {} });
  const form = new IncomingForm({
    contentType,
    boundary,
    declared: bytes.length,
    source,
    maxBody: 1e9,
    dir: '/nowhere',
    bodyTimeout: 1e9,
    hold: new MemoryReservation(new MemoryBudget(1e9)),
    isUpload: false,
  });
  await form.begin();
  if (isBuffered) await form.buffer();
  return form;
}

async function bytesOf({ chunks, length }: FormBytes): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  const bytes = Buffer.concat(all);
  if (length !== undefined) expect(bytes.length, 'the length that was promised').toBe(length);
  return bytes;
}

/** How Node parses a form: name, and value or file, of each part. */
async function readByNode(bytes: Buffer): Promise<(readonly [name: string, value: string])[]> {
  const data = await new Response(bytes, { headers: { 'content-type': contentType } }).formData();
  return Promise.all(
    [...data].map(async ([name, value]) => [name, typeof value === 'string' ? value : `${value.name}:${await value.text()}`] as const),
  );
}

/** The same from the parts of the form, after the edit. */
function expectedOf(parts: readonly PartText[], edit: FormEdit): (readonly [string, string])[] {
  const out: (readonly [string, string])[] = [];
  const written = new Set<string>();
  const missingFields = [...edit.fields].filter(([name]) => !parts.some((part) => part.filename === undefined && part.name === name));
  const addLacking = (): void => {
    for (const [name, value] of missingFields.splice(0)) if (value !== undefined) out.push([name, value]);
  };
  for (const { name, value, filename } of parts) {
    if (filename !== undefined) {
      addLacking();
      out.push([name, `${filename}:${value.toString()}`]);
    } else if (!edit.fields.has(name)) out.push([name, value.toString()]);
    else {
      const next = edit.fields.get(name);
      if (next !== undefined && !written.has(name)) out.push([name, next]);
      written.add(name);
    }
  }
  addLacking();
  return out;
}

const names = fc.constantFrom('prompt', 'note', 'stream', 'language', 'ä');
const texts = fc.oneof(fc.string(), fc.constantFrom('', '\r\n', '--', '\r\n--', `--${boundary.slice(0, 5)}`, 'a\r\n--x\r\n', '€'));
const partsOf = fc.array(
  fc.record({ name: names, value: texts, filename: fc.option(fc.constantFrom('a.jsonl', 'b.wav'), { nil: undefined }) }),
  { minLength: 1, maxLength: 6 },
);
const edits = fc.dictionary(names, fc.option(texts, { nil: undefined }), { maxKeys: 3 });

const cleaned = (parts: readonly { name: string; value: string; filename: string | undefined }[]): PartText[] =>
  parts.map(({ name, value, filename }) => (filename === undefined ? { name, value } : { name, value, filename, type: 'text/plain' }));

test('a buffered form is parsed like in Node after any edit and with any chunk boundaries', async () => {
  await fc.assert(
    fc.asyncProperty(partsOf, edits, fc.integer({ min: 1, max: 60 }), async (generated, changes, size) => {
      const parts = cleaned(generated);
      const edit: FormEdit = { fields: new Map(Object.entries(changes)) };
      const bytes = formOf(parts);
      const form = await formFrom(bytes, size, true);
      expect(form.fields).toEqual(new Map(parts.flatMap(({ name, value, filename }) => (filename === undefined ? [[name, value]] : []))));
      expect(await bytesOf(form.open())).toEqual(bytes);
      const expected = expectedOf(parts, edit);
      // Node rejects a form without parts.
      if (expected.length > 0) expect(await readByNode(await bytesOf(form.edited(edit)))).toEqual(expected);
      expect(await bytesOf(form.edited({ fields: new Map() }))).toEqual(bytes);
    }),
    { numRuns: 300 },
  );
});

test('a form whose empty parts lack a line end before the delimiter has the announced length after any edit', async () => {
  const empty = new RegExp(`(\r\n\r\n)\r\n(?=--${boundary}(?:--)?\r\n)`, 'g');
  const withoutEnds = (bytes: Buffer): string => bytes.toString('latin1').replaceAll(empty, '$1');
  const short = fc.constantFrom('', '', 'x');
  const generated = fc.array(fc.record({ name: names, value: short, filename: fc.constantFrom(undefined, undefined, 'a') }), {
    minLength: 1,
  });
  await fc.assert(
    fc.asyncProperty(
      generated,
      fc.dictionary(names, fc.option(short, { nil: undefined })),
      fc.boolean(),
      async (parts, changes, isBuffered) => {
        const usual = formOf(cleaned(parts));
        const bytes = Buffer.from(withoutEnds(usual), 'latin1');
        const edit: FormEdit = { fields: new Map(Object.entries(changes)) };
        const read = async (of: Buffer): Promise<IncomingForm> => formFrom(of, 7, isBuffered);
        expect(await bytesOf((await read(bytes)).open())).toEqual(bytes);
        const edited = await bytesOf((await read(bytes)).edited(edit)).catch(String);
        const expected = await bytesOf((await read(usual)).edited(edit)).catch(String);
        expect(typeof edited === 'string' ? edited : withoutEnds(edited)).toBe(
          typeof expected === 'string' ? expected : withoutEnds(expected),
        );
      },
    ),
    { numRuns: 200 },
  );
});

test('a streamed form equals the buffered form if its fields precede the file', async () => {
  await fc.assert(
    fc.asyncProperty(partsOf, edits, fc.integer({ min: 1, max: 60 }), texts, async (generated, changes, size, content) => {
      const front = cleaned(generated).filter((part) => part.filename === undefined);
      const parts: PartText[] = [...front, { name: 'file', filename: 'a.jsonl', type: 'text/plain', value: content }];
      const edit: FormEdit = { fields: new Map(Object.entries(changes)) };
      const bytes = formOf(parts);
      const streamed = await bytesOf((await formFrom(bytes, size, false)).edited(edit));
      const buffered = await bytesOf((await formFrom(bytes, size, true)).edited(edit));
      expect(streamed.toString()).toBe(buffered.toString());
      expect(await bytesOf((await formFrom(bytes, size, false)).open())).toEqual(bytes);
      expect((await bytesOf((await formFrom(bytes, size, false)).fileBytes())).toString()).toBe(content);
    }),
    { numRuns: 300 },
  );
});

describe('a form field that affects routing', () => {
  const file: PartText = { name: 'file', filename: 'a.wav', value: 'x' };
  const model = (value: string, filename?: string): PartText => ({ name: 'model', value, ...(filename === undefined ? {} : { filename }) });
  const rejectedForms: readonly (readonly [name: string, parts: readonly PartText[], message: string])[] = [
    ['with different values before the file', [model('a'), model('b'), file], 'has two values'],
    ['with different values after the file', [file, model('a'), model('b')], 'has two values'],
    ['with different values before and after the file', [model('a'), file, model('b')], 'has two values'],
    ['with one value too long to read', [model('a'), model('b'.repeat(300_000)), file], 'has two values'],
    ['with one value as a file without a name', [model('a'), model('b', ''), file], 'is sent as a file'],
    ['the purpose of an upload', [{ name: 'purpose', value: 'batch' }, { name: 'purpose', value: 'user_data' }, file], 'has two values'],
  ];
  test.each(rejectedForms)('is rejected as a duplicate: %s', async (_, parts, message) => {
    await expect(formFrom(formOf(parts), 50_000, true)).rejects.toThrow(message);
    await expect(formFrom(formOf(parts), 50_000, false).then((form) => bytesOf(form.open()))).rejects.toThrow(message);
  });

  test('may be repeated with the same value', async () => {
    const form = await formFrom(formOf([model('a'), file, model('a')]), 7, false);
    expect((await bytesOf(form.open())).toString()).toContain('a');
  });
});

describe('the lines of a file', () => {
  const line: LineEdit = (text, index) => (text.includes('drop') ? undefined : `${index}:${text}`);
  const parts: PartText[] = [
    { name: 'purpose', value: 'batch' },
    { name: 'file', filename: 'a.jsonl', type: 'application/jsonl', value: '\ufeffone\r\ndrop\ntwo' },
    { name: 'tail', value: 'x\ny' },
  ];

  test.each([1, 2, 7, 1000])('are edited while the form is sent, in chunks of %i', async (size) => {
    for (const isBuffered of [true, false]) {
      const form = await formFrom(formOf(parts), size, isBuffered);
      const edited = form.edited({ fields: new Map([['purpose', 'fine-tune']]), line });
      expect(edited.length).toBeUndefined();
      expect(await readByNode(await bytesOf(edited))).toEqual([
        ['purpose', 'fine-tune'],
        ['file', 'a.jsonl:0:one\r\n2:two'],
        ['tail', 'x\ny'],
      ]);
    }
  });

  test('can be sent to a storage without the form', async () => {
    const form = await formFrom(formOf(parts), 5, false);
    const bytes = form.fileBytes(line);
    expect(bytes.contentType).toBe('application/jsonl');
    expect((await bytesOf(bytes)).toString()).toBe('0:one\r\n2:two');
    expect(form.isSpent).toBe(true);
    expect(form.fields.get('tail')).toBe('x\ny');
  });

  test('abort the upload if the edit of a line throws', async () => {
    const form = await formFrom(formOf(parts), 5, false);
    const failing = form.fileBytes(() => {
      throw new RangeError('no');
    });
    await expect(bytesOf(failing)).rejects.toThrow('no');
  });
});

describe('a form at the limits', () => {
  test.each([
    [
      'a long field before the file',
      [
        { name: 'a', value: 'x'.repeat(9_000_000) },
        { name: 'f', filename: 'f', value: '' },
      ],
      /before the file/,
    ],
    [
      'many texts',
      Array.from({ length: 9 }, (_, i) => ({ name: `a${i}`, value: 'x'.repeat(130_000) })),
      /text fields .* larger than 1 ?MB/,
    ],
  ] as const)('is rejected: %s', async (_, parts, message) => {
    await expect(formFrom(formOf(parts), 64 * 1024, false)).rejects.toThrow(message);
  });

  test('is accepted with a very long field, which is not read', async () => {
    const form = await formFrom(
      formOf([
        { name: 'voice', value: 'a' },
        { name: 'voice', value: 'x'.repeat(300_000) },
      ]),
      64 * 1024,
      true,
    );
    expect(form.fields.has('voice')).toBe(false);
  });

  test('is rejected if a new value contains the boundary', async () => {
    const form = await formFrom(formOf([{ name: 'voice', value: 'a' }]), 100, true);
    expect(() => form.edited({ fields: new Map([['model', `x\r\n--${boundary}--`]]) })).toThrow(/contains the boundary/);
  });
});
