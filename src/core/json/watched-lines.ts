import { isBatchInput } from './batch-file.ts';
import type { FormBody, FormEdit, FormUpstream, LineEdit } from '../http/form.ts';

/** What to do about the lines of a batch's file, which are requests. Both may throw, which refuses the request. */
export interface LineWatch {
  /** Called with each line as the client wrote it, before the provider's own edit. */
  line(line: string, index: number): void;
  /** Called when the whole form has passed whose file was not known to be a batch's while it passed. */
  late(form: FormBody): void;
}

/** The same body, with its lines looked at while it is sent. */
export function watchedLines(body: FormUpstream, watch: LineWatch): FormUpstream {
  const isBatch = isBatchInput(body.form);
  // What is stored alone is no batch before one is created of it.
  if (body.kind === 'file') return isBatch ? { ...body, line: behind(watch, body.line) } : body;
  const edit: FormEdit = body.edit ?? { fields: new Map() };
  if (isBatch) {
    const looksOnly = edit.line === undefined || edit.looksOnly === true;
    return { ...body, edit: { ...edit, line: behind(watch, edit.line), ...(looksOnly ? { looksOnly: true } : {}) } };
  }
  const check = (): void => {
    edit.check?.();
    watch.late(body.form);
  };
  return { ...body, edit: { ...edit, check } };
}

function behind(watch: LineWatch, own: LineEdit | undefined): LineEdit {
  return (line, index) => {
    watch.line(line, index);
    return own === undefined ? line : own(line, index);
  };
}
