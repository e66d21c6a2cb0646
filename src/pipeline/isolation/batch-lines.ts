import { isBatchPurpose } from '../../core/json/batch-file.ts';
import { parseJson } from '../../core/json/scan.ts';
import { GatewayError } from '../../core/error.ts';
import type { FormBody, LineEdit } from '../../core/http/form.ts';
import type { UpstreamRequest } from '../../core/provider.ts';
import { watchedLines } from '../../core/json/watched-lines.ts';
import type { CallerObjects } from './caller-objects.ts';

/**
 * The lines of a batch are requests. Their ids are checked while the file is sent, like all lines that the provider's
 * conversion reads.
 */
export function watchedBatch(upstream: UpstreamRequest, caller: CallerObjects): UpstreamRequest {
  const { body } = upstream;
  if (body.kind !== 'form' && body.kind !== 'file') return upstream;
  const check = (line: string, index: number): void => checkLine(line, index, caller);
  if (body.kind === 'form' || body.line === undefined)
    return { ...upstream, body: watchedLines(body, { line: check, onFormRead: rejectLatePurpose }) };
  const providerEdit = body.line;
  const line: LineEdit = (text, index) => {
    check(text, index);
    return providerEdit(text, index);
  };
  return { ...upstream, body: { ...body, line } };
}

/** True for a file whose lines are not read when it is stored. */
export const isStoredUnread = ({ body }: UpstreamRequest): boolean => body.kind === 'file' && body.line === undefined;

function checkLine(line: string, index: number, caller: CallerObjects): void {
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
      hint: 'The provider has isolate: true, so the gateway must read the ids in each line. Send one JSON object per line.',
      cause,
    });
  }
  caller.checkJson(text, value);
}

/** The file was forwarded as another kind, so its lines were not read. */
function rejectLatePurpose(form: FormBody): void {
  if (!isBatchPurpose(form.fields.get('purpose'))) return;
  throw new GatewayError('not_allowed', {
    message: 'The provider has isolate: true, but the field "purpose" comes after the file in the form.',
    param: 'purpose',
    hint: 'Send the purpose before the file, or give the file a name that ends in .jsonl.',
  });
}
