import { expect, it } from 'vitest';
import type { FormBody, FormEdit, FormUpstream, LineEdit } from '../http/form.ts';
import { watchedLines } from './watched-lines.ts';

const form = (purpose: string) => ({ fields: new Map([['purpose', purpose]]), file: undefined }) as unknown as FormBody;
const upper: LineEdit = (line) => line.toUpperCase();
const edit = (over: Partial<FormEdit> = {}): FormEdit => ({ fields: new Map([['a', '1']]), ...over });

/** Returns the body as it is sent, and what the watcher saw. */
function watched(body: FormUpstream) {
  const seen: unknown[] = [];
  const sent = watchedLines(body, { line: (line, index) => seen.push([line, index]), onFormRead: (late) => seen.push(late) });
  return { seen, sent, line: sent.kind === 'file' ? sent.line : sent.edit?.line, edit: sent.kind === 'form' ? sent.edit : undefined };
}

it.each<[name: string, body: FormUpstream, line: string, looksOnly: true | undefined]>([
  ['the file alone', { kind: 'file', form: form('batch'), line: undefined }, 'x', undefined],
  ['the file alone, with an edit', { kind: 'file', form: form('batch'), line: upper }, 'X', undefined],
  ['the form', { kind: 'form', form: form('batch'), edit: undefined }, 'x', true],
  ['the form, with new fields', { kind: 'form', form: form('batch'), edit: edit() }, 'x', true],
  ['the form, with an edit', { kind: 'form', form: form('batch'), edit: edit({ line: upper }) }, 'X', undefined],
  [
    'the form, with an edit that only reads',
    { kind: 'form', form: form('batch'), edit: edit({ line: (l) => l, isReadOnly: true }) },
    'x',
    true,
  ],
])('watchedLines passes the original lines of a batch file to the watcher: %s', (_name, body, line, looksOnly) => {
  const { seen, sent, edit: made, line: sentLine } = watched(body);
  expect(sentLine?.('x', 3)).toBe(line);
  expect(seen).toEqual([['x', 3]]);
  expect(made?.isReadOnly).toBe(looksOnly);
  if (sent.kind === 'form' && body.kind === 'form') expect(made?.fields).toEqual(body.edit?.fields ?? new Map());
});

it('watchedLines does not watch a file that is not a batch file', () => {
  const body: FormUpstream = { kind: 'file', form: form('assistants'), line: upper };
  expect(watched(body).sent).toBe(body);
});

it('watchedLines reports another form after it was sent, and after its own check', () => {
  const other = form('assistants');
  const order: string[] = [];
  const { seen, edit: made } = watched({ kind: 'form', form: other, edit: edit({ check: () => order.push('own') }) });
  expect(made?.line).toBeUndefined();
  made?.check?.();
  expect([order, seen]).toEqual([['own'], [other]]);
  const plain = watched({ kind: 'form', form: other, edit: undefined });
  plain.edit?.check?.();
  expect(plain.seen).toEqual([other]);
});
