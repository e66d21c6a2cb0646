import { parseJson } from '../../core/json-scan.ts';
import { isBatchInput } from '../../core/batch-file.ts';
import { GatewayError } from '../../core/error.ts';
import type { FormBody, FormUpstream, LineEdit } from '../../core/form.ts';
import type { UpstreamRequest } from '../../core/provider.ts';
import type { Caller } from './caller.ts';

/** The lines of a batch are requests: their ids are checked while the file is sent. */
export function watchedLines(upstream: UpstreamRequest, caller: Caller): UpstreamRequest {
  const { body } = upstream;
  return body.kind === 'form' || body.kind === 'file' ? { ...upstream, body: watched(body, caller) } : upstream;
}

function watched(body: FormUpstream, caller: Caller): FormUpstream {
  const isBatch = isBatchInput(body.form);
  if (body.kind === 'file') return isBatch ? { ...body, line: checked(body.line, caller) } : body;
  const edit = body.edit ?? { fields: new Map<string, string | undefined>() };
  if (isBatch) {
    const looksOnly = edit.line === undefined || edit.looksOnly === true;
    return { ...body, edit: { ...edit, line: checked(edit.line, caller), ...(looksOnly ? { looksOnly: true as const } : {}) } };
  }
  const check = (): void => {
    edit.check?.();
    refuseLate(body.form);
  };
  return { ...body, edit: { ...edit, check } };
}

/** In front of what the provider makes of the line. */
function checked(own: LineEdit | undefined, caller: Caller): LineEdit {
  return (line, index) => {
    checkLine(line, index, caller);
    return own === undefined ? line : own(line, index);
  };
}

function checkLine(line: string, index: number, caller: Caller): void {
  // The first line of a file may begin with a byte order mark.
  const text = line.replace(/^\uFEFF/, '').trim();
  if (text === '') return;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw new GatewayError('invalid_form', {
      message: `Line ${index + 1} of the file is not JSON.`,
      param: 'file',
      hint: 'The provider has isolate: true, so the ids in each line have to be readable. Send one JSON object on each line.',
      cause,
    });
  }
  caller.checkJson(text, value);
}

/** The file went by as something else: its lines were not read. */
function refuseLate(form: FormBody): void {
  if (form.fields.get('purpose') !== 'batch') return;
  throw new GatewayError('not_allowed', {
    message: 'The provider keeps the objects of each key apart, and the form says only behind its file that this is a batch.',
    param: 'purpose',
    hint: 'Send the purpose before the file, or give the file a name that ends in .jsonl.',
  });
}
