import { big, small } from './model-locations.ts';

/** A form that some parser reads in another way than the next, or that at least one of them refuses. */
export interface Spelling {
  readonly name: string;
  readonly contentType: string;
  /** Its bytes. */
  readonly body: Buffer;
}

const plainType = 'multipart/form-data; boundary=xyz';

const part = (head: string, value: string, boundary = 'xyz'): string => `--${boundary}\r\n${head}\r\n\r\n${value}\r\n`;
const fieldWithDisposition = (name: string, value: string): string => part(`Content-Disposition: form-data; name="${name}"`, value);
const picture = part('Content-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png', 'png');
const end = '--xyz--\r\n';
const ok = fieldWithDisposition('model', small);

/** In place of a plain second part: the head of one that has the other model. */
const head = (name: string, text: string): Spelling => spellingOf(name, `${ok}${part(text, big)}${picture}${end}`);
const spellingOf = (name: string, body: string | Buffer, contentType = plainType): Spelling => ({
  name,
  contentType,
  body: typeof body === 'string' ? Buffer.from(body, 'utf8') : body,
});

export const spellings: readonly Spelling[] = [
  head('name*', `Content-Disposition: form-data; name="note"; name*=utf-8''model`),
  head('name* first', `Content-Disposition: form-data; name*=utf-8''model; name="note"`),
  head('name* alone', `Content-Disposition: form-data; name*=utf-8''model`),
  head('name*0', `Content-Disposition: form-data; name*0="mod"; name*1="el"; name="note"`),
  head('a name twice', `Content-Disposition: form-data; name="note"; name="model"`),
  head('a name twice, first', `Content-Disposition: form-data; name="model"; name="note"`),
  head('Name', `Content-Disposition: form-data; Name="model"; x="note"`),
  head('a name without quotes', 'Content-Disposition: form-data; name=model'),
  head('a name in single quotes', `Content-Disposition: form-data; name='model'`),
  head('a name with a quoted letter', 'Content-Disposition: form-data; name="mod\\el"'),
  head('a name behind a backslash', 'Content-Disposition: form-data; name="note\\"; name="model"'),
  head('a name in a file name', 'Content-Disposition: form-data; filename="a\\"; name="model"; x="b"; name="note"'),
  head('a percent in the name', 'Content-Disposition: form-data; name="mod%65l"'),
  head('a quote in the name', 'Content-Disposition: form-data; name="model%22"'),
  head('blanks around the equals sign', 'Content-Disposition: form-data; name = "model"'),
  head('a tab before the name', 'Content-Disposition: form-data;\tname="model"'),
  head('no blank before the name', 'Content-Disposition: form-data;name="model"'),
  head('a folded head', 'Content-Disposition: form-data;\r\n name="model"'),
  head('a blank before the colon', 'Content-Disposition : form-data; name="model"'),
  head('two content-dispositions', 'Content-Disposition: form-data; name="note"\r\nContent-Disposition: form-data; name="model"'),
  head('a disposition that is no form-data', 'Content-Disposition: attachment; name="model"'),
  head('a file name in a field', 'Content-Disposition: form-data; name="model"; filename=""'),
  head('an empty file name*', `Content-Disposition: form-data; name="model"; filename*=utf-8''`),
  head('a charset', 'Content-Disposition: form-data; name="model"\r\nContent-Type: text/plain; charset=utf-16'),
  head('an encoding', 'Content-Disposition: form-data; name="model"\r\nContent-Transfer-Encoding: quoted-printable'),
  head('a bare CR in its head', 'X-Note: a\rContent-Disposition: form-data; name="model"\r\nContent-Disposition: form-data; name="note"'),
  head('a bare LF in its head', 'X-Note: a\nContent-Disposition: form-data; name="model"'),
  head('a NUL in the name', 'Content-Disposition: form-data; name="model\0x"'),
  head('a NUL in its head', 'Content-Disposition: form-data\0; name="model"'),
  head('a line that is no header', 'nothing\r\nContent-Disposition: form-data; name="model"'),
  spellingOf(
    'a form in a part',
    `${ok}${part('Content-Disposition: form-data; name="note"\r\nContent-Type: multipart/mixed; boundary=abc', `--abc\r\nContent-Disposition: form-data; name="model"\r\n\r\n${big}\r\n--abc--`)}${picture}${end}`,
  ),
  spellingOf('_charset_', `${fieldWithDisposition('_charset_', 'utf-16be')}${fieldWithDisposition('model', big)}${picture}${end}`),
  spellingOf(
    'base64',
    `${ok}${part('Content-Disposition: form-data; name="model"\r\nContent-Transfer-Encoding: base64', Buffer.from(big).toString('base64'))}${fieldWithDisposition('note', big)}${picture}${end}`,
  ),
  spellingOf('a preamble', `--xyz-\r\n${fieldWithDisposition('model', big).slice(7)}${ok}${picture}${end}`),
  spellingOf('a part in the preamble', `x--xyz\r\nContent-Disposition: form-data; name="model"\r\n\r\n${big}\r\n${ok}${picture}${end}`),
  spellingOf('an epilogue', `${ok}${picture}${end}${fieldWithDisposition('model', big)}${end}`),
  spellingOf('an epilogue on the last line', `${ok}${picture}--xyz--${fieldWithDisposition('model', big)}${end}`),
  spellingOf('line feeds alone', `${ok}${picture}${end}`.replaceAll('\r\n', '\n').replace(small, big)),
  spellingOf(
    'a line feed before the boundary',
    `${fieldWithDisposition('note', `x\n--xyz\nContent-Disposition: form-data; name="model"\n\n${big}`)}${ok}${picture}${end}`,
  ),
  spellingOf(
    'a line feed before a whole part',
    `${fieldWithDisposition('note', `x\n--xyz\r\nContent-Disposition: form-data; name="model"\r\n\r\n${big}`)}${ok}${picture}${end}`,
  ),
  spellingOf(
    'a carriage return before the boundary',
    `${fieldWithDisposition('note', `x\r--xyz\r\nContent-Disposition: form-data; name="model"\r\n\r\n${big}`)}${ok}${picture}${end}`,
  ),
  spellingOf(
    'the boundary in a line',
    `${fieldWithDisposition('note', `x--xyz\r\nContent-Disposition: form-data; name="model"\r\n\r\n${big}`)}${ok}${picture}${end}`,
  ),
  spellingOf(
    'a longer boundary',
    `${fieldWithDisposition('note', `x\r\n--xyzw\r\nContent-Disposition: form-data; name="model"\r\n\r\n${big}`)}${ok}${picture}${end}`,
  ),
  spellingOf('blanks behind the boundary', `${ok}--xyz  \r\n${fieldWithDisposition('model', big).slice(7)}${picture}${end}`),
  spellingOf(
    'no empty line in an empty part',
    `--xyz\r\nContent-Disposition: form-data; name="note"\r\n\r\n${fieldWithDisposition('model', big)}${ok}${picture}${end}`,
  ),
  spellingOf('no end', `${ok}${picture}${fieldWithDisposition('model', big)}`),
  spellingOf(
    'boundary*',
    `${ok}${picture}${end}--abc\r\n${fieldWithDisposition('model', big).slice(7)}--abc--\r\n`,
    `multipart/form-data; boundary=xyz; boundary*=utf-8''abc`,
  ),
  spellingOf(
    'two boundaries',
    `${ok}${picture}${end}--abc\r\n${fieldWithDisposition('model', big).slice(7)}--abc--\r\n`,
    'multipart/form-data; boundary=xyz; boundary=abc',
  ),
  spellingOf(
    'BOUNDARY',
    `${ok}${picture}${end}--abc\r\n${fieldWithDisposition('model', big).slice(7)}--abc--\r\n`,
    'multipart/form-data; BOUNDARY=abc; boundary=xyz',
  ),
  spellingOf(
    'a boundary with a blank at its end',
    `${ok}${picture}${end}`.replaceAll('--xyz', '--xyz ').replace(small, big),
    'multipart/form-data; boundary="xyz "',
  ),
  spellingOf(
    'a boundary in escapes',
    `${ok}${picture}${end}--x\\yz\r\n${fieldWithDisposition('model', big).slice(7)}--x\\yz--\r\n`,
    'multipart/form-data; boundary="x\\yz"',
  ),
  spellingOf(
    'a charset of the form',
    Buffer.from(`${fieldWithDisposition('model', big)}${picture}${end}`),
    'multipart/form-data; charset=utf-16; boundary=xyz',
  ),
];
