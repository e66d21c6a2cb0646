import type { JsonSchema } from '../../src/core/json/schema.ts';
import { hostileValue } from './json-text.ts';
import type { Random } from './random.ts';

const line =
  '{"custom_id":"1","method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"hi"}]}}\n';
const names: readonly string[] = ['model', 'file', 'image', 'prompt', 'purpose', '__proto__', '', 'a"b', 'x\xff', 'file[]', 'model*'];
const values: readonly string[] = ['m', 'batch', 'user_data', '', '\0', 'x'.repeat(100_000), '\xff\xfe', '{', '--x--', '\r\n'];

/** Generates a multipart form with the fields of a route, and optionally odd content between the boundaries. */
export function anyForm(schema: JsonSchema | undefined, random: Random, isOdd: boolean): { body: Buffer; type: string } {
  if (!isOdd) return goodForm(schema);
  const boundary = random.chance(0.9) ? 'xxxx' : random.pick(['', 'a b', 'x'.repeat(200), '-', "'()+_,-./:=?", '\xff']);
  const fields = Object.keys((schema?.['properties'] as Record<string, unknown> | undefined) ?? {});
  const parts = fields.filter(() => random.chance(0.85)).map((name) => part(name, random));
  for (let n = random.below(3); n > 0; n -= 1) parts.push(part(random.pick(names), random));
  if (random.chance(0.3)) parts.reverse();
  const open = `--${boundary}\r\n`;
  const text = [
    random.chance(0.1) ? 'preamble\r\n' : '',
    ...parts.map((each) => `${open}${each}`),
    random.chance(0.9) ? `--${boundary}--\r\n` : random.pick(['', `--${boundary}`, open]),
    random.chance(0.05) ? 'epilogue' : '',
  ].join('');
  const bytes = Buffer.from(text, 'latin1');
  const type = random.pick([
    `multipart/form-data; boundary=${boundary}`,
    `multipart/form-data; boundary=${boundary}`,
    `multipart/form-data; boundary=${boundary}`,
    `multipart/form-data; boundary="${boundary}"`,
    `multipart/form-data; boundary*=utf-8''${boundary}`,
    'multipart/form-data',
    `Multipart/Form-Data;boundary=${boundary};boundary=yy`,
  ]);
  return { body: random.chance(0.1) ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes, type };
}

function goodForm(schema: JsonSchema | undefined): { body: Buffer; type: string } {
  const names = Object.keys((schema?.['properties'] as Record<string, unknown> | undefined) ?? {}).filter((name) => !name.includes('['));
  const valueOf = (name: string): string => (name === 'purpose' ? 'batch' : name === 'response_format' ? 'json' : name === 'n' ? '1' : 'm');
  const files = new Set(['file', 'image']);
  const parts = names
    .toSorted((a, b) => Number(files.has(a)) - Number(files.has(b)))
    .map((name) =>
      files.has(name)
        ? `content-disposition: form-data; name="${name}"; filename="a.jsonl"\r\ncontent-type: application/jsonl\r\n\r\n${line}`
        : `content-disposition: form-data; name="${name}"\r\n\r\n${valueOf(name)}`,
    );
  const body = `${parts.map((part) => `--xxxx\r\n${part}\r\n`).join('')}--xxxx--\r\n`;
  return { body: Buffer.from(body), type: 'multipart/form-data; boundary=xxxx' };
}

function part(name: string, random: Random): string {
  const isFile = ['file', 'image', 'mask'].includes(name);
  const fileName = random.pick(['a.jsonl', 'a.png', '', '../x', 'a"b', '\xff', 'x'.repeat(3000), 'a\\', '%00']);
  const disposition = random.chance(0.95)
    ? `content-disposition: form-data; name="${name}"${isFile || random.chance(0.05) ? `; filename="${fileName}"` : ''}\r\n`
    : random.pick([
        '',
        'content-disposition: attachment\r\n',
        `content-disposition: form-data; name=${name}; name=b\r\n`,
        `x: ${'y'.repeat(20_000)}\r\n`,
        'bad\r\n',
      ]);
  const type = isFile ? `content-type: ${random.pick(['application/jsonl', 'image/png', '', 'x'])}\r\n` : '';
  const encoding = random.chance(0.03) ? 'content-transfer-encoding: base64\r\n' : '';
  const content = isFile
    ? random.pick([line, line.repeat(3), '{"a":', '', '\0\xff', `${hostileValue(random)}\n`, 'x'.repeat(200_000), '\n\n\n'])
    : random.chance(0.6)
      ? random.pick(['m', 'batch', '1', 'hi', 'json'])
      : random.chance(0.5)
        ? random.pick(values)
        : hostileValue(random);
  return `${disposition}${type}${encoding}\r\n${content}\r\n`;
}
