import { describe, expect, it } from 'vitest';
import { FormScanner, type FormPiece } from './scanner.ts';

/** Every piece in order, as its kind and text; adjacent pieces of the same kind are joined. */
function scan(chunks: readonly Buffer[], boundary = 'b'): string[] {
  const scanner = new FormScanner(boundary);
  const pieces: FormPiece[] = chunks.flatMap((chunk) => scanner.push(chunk));
  scanner.end();
  const runs: string[] = [];
  for (const piece of pieces) {
    const label = piece.kind === 'delimiter' && piece.isLast ? 'last' : piece.kind;
    const isContinued = (label === 'body' || label === 'outside') && runs.at(-1)?.startsWith(`${label} `) === true;
    if (isContinued) runs[runs.length - 1] += piece.bytes.toString('latin1');
    else runs.push(`${label} ${piece.bytes.toString('latin1')}`);
  }
  return runs;
}

const head = (name: string): string => `Content-Disposition: form-data; name="${name}"\r\n\r\n`;

const completeForm = `--b\r\n${head('a')}1\r\n--b\r\n${head('f')}x\r\n--\r\n-b\n--b y\r\n\r\n--b--\r\n`;
const completeRuns = [
  'delimiter --b\r\n',
  `head ${head('a')}`,
  'body 1',
  'delimiter \r\n--b\r\n',
  `head ${head('f')}`,
  'body x\r\n--\r\n-b\n--b y\r\n',
  'last \r\n--b--',
  'outside \r\n',
];

describe('FormScanner', () => {
  it('returns every byte wherever the form is split in two chunks', () => {
    const bytes = Buffer.from(completeForm);
    for (let offset = 0; offset <= bytes.length; offset += 1)
      expect(scan([bytes.subarray(0, offset), bytes.subarray(offset)]), `cut at ${offset}`).toEqual(completeRuns);
  });

  it('returns the same pieces if fed byte by byte', () => {
    expect(scan([...Buffer.from(completeForm)].map((byte) => Buffer.from([byte])))).toEqual(completeRuns);
  });

  const table: readonly (readonly [name: string, form: string, runs: readonly string[]])[] = [
    ['a form without parts', '--b--', ['last --b--']],
    [
      'a preamble',
      `hello\r\n--b\r\n${head('a')}\r\n--b--`,
      ['outside hello\r\n', 'delimiter --b\r\n', `head ${head('a')}`, 'last \r\n--b--'],
    ],
    ['a preamble with the boundary inside a line', `say --b\r\n--b--`, ['outside say --b\r\n', 'last --b--']],
    ['a preamble that looks like a delimiter', `---b\n--b--`, ['outside ---b\n', 'last --b--']],
    ['an epilogue', '--b--\r\n--b\r\nmore', ['last --b--', 'outside \r\n--b\r\nmore']],
    [
      'white space after a delimiter',
      `--b \t\r\n${head('a')}v\r\n--b--`,
      ['delimiter --b \t\r\n', `head ${head('a')}`, 'body v', 'last \r\n--b--'],
    ],
    ['a part without content', `--b\r\n${head('a')}--b--`, ['delimiter --b\r\n', `head ${head('a')}`, 'last --b--']],
    [
      'LF instead of CRLF everywhere',
      '--b\nContent-Disposition: form-data; name=a\n\n1\r\n2\n--b--\n',
      ['delimiter --b\n', 'head Content-Disposition: form-data; name=a\n\n', 'body 1\r\n2', 'last \n--b--', 'outside \n'],
    ],
  ];
  it.each(table)('reads %s', (_, form, runs) => {
    expect(scan([Buffer.from(form)])).toEqual(runs);
    expect(scan([...Buffer.from(form)].map((byte) => Buffer.from([byte])))).toEqual(runs);
  });

  it('buffers no more bytes than a delimiter could need', () => {
    const scanner = new FormScanner('b');
    scanner.push(Buffer.from(`--b\r\n${head('f')}`));
    expect(scanner.push(Buffer.from('12345678')).map((piece) => piece.bytes.toString())).toEqual(['12345678']);
    expect(scanner.push(Buffer.from('\r\n--')).map((piece) => piece.bytes.toString())).toEqual([]);
    expect(scanner.push(Buffer.from('x')).map((piece) => piece.bytes.toString())).toEqual(['\r\n--x']);
  });
});

describe('FormScanner rejects with invalid_form (400)', () => {
  const table: readonly (readonly [name: string, form: string, message: RegExp])[] = [
    ['an empty body', '', /does not begin with the boundary/],
    ['a wrong boundary', '--c\r\nx', /does not begin with the boundary/],
    ['an end in the middle of a part', `--b\r\n${head('a')}1`, /middle of a part/],
    ['an end in the middle of a head', '--b\r\nContent-', /middle of a part/],
    ['an end within the closing dashes', `--b\r\n${head('a')}1\r\n--b-`, /middle of a part/],
    ['text after a boundary', `--b\r\n${head('a')}1\r\n--bc\r\n`, /boundary line/],
    ['one dash after a boundary', '--b-x', /boundary line/],
    ['too much white space', `--b${' '.repeat(300)}\r\n`, /boundary line/],
    ['a head that never ends', `--b\r\nX: ${'x'.repeat(17_000)}`, /larger than 16384/],
    ['too many parts', `${`--b\r\n${head('a')}\r\n`.repeat(1001)}--b--`, /more than 1000 parts/],
    ['a preamble without end', `${'x'.repeat(70_000)}`, /does not begin with the boundary/],
    ['a part without a name', '--b\r\nContent-Disposition: form-data\r\n\r\n', /no name/],
    ['a part without a disposition', '--b\r\nContent-Type: text/plain\r\n\r\n', /no content-disposition/],
  ];
  it.each(table)('%s', (_, form, message) => {
    const scanForm = (): unknown => scan([Buffer.from(form)]);
    expect(scanForm).toThrow(message);
    expect(scanForm).toThrow(expect.objectContaining({ code: 'invalid_form', status: 400 }) as Error);
  });
});
