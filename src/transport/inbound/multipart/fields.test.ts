import { expect, it } from 'vitest';
import { FormFields } from './fields.ts';

const head = { name: 'prompt', isFile: false, filename: undefined, contentType: undefined, oddity: undefined };

it.each([
  ['UTF-8 text', Buffer.from('Grüße'), 'Grüße'],
  ['a byte that is not UTF-8', Buffer.from([0x61, 0xff]), undefined],
  ['a truncated character', Buffer.from([0x61, 0xc3]), undefined],
])('FormFields accepts only UTF-8 in a field: %s', (_name, bytes, value) => {
  const fields = new FormFields(false);
  const note = (): void => {
    fields.add({ kind: 'head', part: head, bytes: Buffer.alloc(10) });
    for (const byte of bytes) fields.add({ kind: 'body', bytes: Buffer.of(byte) });
    fields.add({ kind: 'delimiter', bytes: Buffer.from('\r\n--x'), isLast: false });
  };
  if (value === undefined) expect(note).toThrow('The field "prompt" is not UTF-8 text.');
  else note();
  expect(fields.values.get('prompt')).toBe(value);
});
