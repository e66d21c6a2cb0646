import { isBatchInput } from './batch-file.ts';
import type { FormBody, FormEdit, FormUpstream, LineEdit } from '../http/form.ts';

/** Checks for the lines of a batch file, which are requests. Both may throw, which rejects the upload. */
export interface LineWatch {
  /** Called with each line as the client wrote it, before the provider's own edit. */
  line(line: string, index: number): void;
  /** Called each time more of the form was read, if the file was not known to be a batch when sending began. */
  onFormRead(form: FormBody): void;
}

/** Returns the same body with its lines checked while it is sent. */
export function watchedLines(body: FormUpstream, watch: LineWatch): FormUpstream {
  const isBatch = isBatchInput(body.form);
  // A file that is stored alone becomes a batch only when a batch is created from it.
  if (body.kind === 'file') return isBatch ? { ...body, line: checkedEdit(watch, body.line) } : body;
  const edit: FormEdit = body.edit ?? { fields: new Map() };
  if (isBatch) {
    const readsOnly = edit.line === undefined || edit.isReadOnly === true;
    return { ...body, edit: { ...edit, line: checkedEdit(watch, edit.line), ...(readsOnly ? { isReadOnly: true } : {}) } };
  }
  const check = (): void => {
    edit.check?.();
    watch.onFormRead(body.form);
  };
  return { ...body, edit: { ...edit, check } };
}

function checkedEdit(watch: LineWatch, innerEdit: LineEdit | undefined): LineEdit {
  return (line, index) => {
    watch.line(line, index);
    return innerEdit === undefined ? line : innerEdit(line, index);
  };
}
