import { expect, it } from 'vitest';
import type { FormBody, FormEdit, FormUpstream, LineEdit } from '../http/form.ts';
import { watchedLines } from './watched-lines.ts';

const form = (purpose: string) => ({ fields: new Map([['purpose', purpose]]), file: undefined }) as unknown as FormBody;
const upperCase: LineEdit = (line) => line.toUpperCase();
const edit = (overrides: Partial<FormEdit> = {}): FormEdit => ({ fields: new Map([['a', '1']]), ...overrides });

/** Returns the body as it is sent, and what the watcher saw. */
function watchLines(body: FormUpstream) {
  const calls: unknown[] = [];
  const sent = watchedLines(body, { line: (line, index) => calls.push([line, index]), onFormRead: (lateForm) => calls.push(lateForm) });
  return {
    calls,
    sent,
    line: sent.kind === 'file' ? sent.line : sent.edit?.line,
    formEdit: sent.kind === 'form' ? sent.edit : undefined,
  };
}

it.each<[name: string, body: FormUpstream, line: string, looksOnly: true | undefined]>([
  ['the file alone', { kind: 'file', form: form('batch'), line: undefined }, 'x', undefined],
  ['the file alone, with an edit', { kind: 'file', form: form('batch'), line: upperCase }, 'X', undefined],
  ['the form', { kind: 'form', form: form('batch'), edit: undefined }, 'x', true],
  ['the form, with new fields', { kind: 'form', form: form('batch'), edit: edit() }, 'x', true],
  ['the form, with an edit', { kind: 'form', form: form('batch'), edit: edit({ line: upperCase }) }, 'X', undefined],
  [
    'the form, with an edit that only reads',
    { kind: 'form', form: form('batch'), edit: edit({ line: (text) => text, isReadOnly: true }) },
    'x',
    true,
  ],
])('watchedLines passes the original lines of a batch file to the watcher: %s', (_name, body, line, isReadOnly) => {
  const { calls, sent, formEdit, line: sentLine } = watchLines(body);
  expect(sentLine?.('x', 3)).toBe(line);
  expect(calls).toEqual([['x', 3]]);
  expect(formEdit?.isReadOnly).toBe(isReadOnly);
  if (sent.kind === 'form' && body.kind === 'form') expect(formEdit?.fields).toEqual(body.edit?.fields ?? new Map());
});

it('watchedLines does not watch a file that is not a batch file', () => {
  const body: FormUpstream = { kind: 'file', form: form('assistants'), line: upperCase };
  expect(watchLines(body).sent).toBe(body);
});

it('watchedLines reports another form after it was sent, and after its own check', () => {
  const otherForm = form('assistants');
  const callOrder: string[] = [];
  const { calls, formEdit } = watchLines({ kind: 'form', form: otherForm, edit: edit({ check: () => callOrder.push('own') }) });
  expect(formEdit?.line).toBeUndefined();
  formEdit?.check?.();
  expect([callOrder, calls]).toEqual([['own'], [otherForm]]);
  const withoutEdit = watchLines({ kind: 'form', form: otherForm, edit: undefined });
  withoutEdit.formEdit?.check?.();
  expect(withoutEdit.calls).toEqual([otherForm]);
});
