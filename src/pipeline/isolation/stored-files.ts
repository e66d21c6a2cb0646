import { GatewayError } from '../../core/error.ts';
import { unreadInputIn } from '../../core/json/batch-file.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import { canonicalId } from '../../core/objects/owners.ts';
import type { CallerObjects } from './caller-objects.ts';

/**
 * Some providers store any upload unchanged, and read its lines only when a batch or a tuning job is created from it.
 * Unchecked lines could contain ids of other keys' objects, so such a file is marked when it is stored.
 */

/** The mark is a separate id in the table of owners, with the form of a URL. */
const scheme = 'unread://';
export const unreadMark = (id: string): string => `${scheme}${canonicalId(id)}`;
export const isUnreadMark = (id: string): boolean => id.startsWith(scheme);

/** Members of a body that refer to a file of lines. */
const lineFileFields = ['input_file_id', 'training_file', 'validation_file'] as const;

/** @throws GatewayError `not_allowed` for a batch or job whose lines were not checked */
export function checkInputs(body: unknown, caller: CallerObjects): void {
  if (!isJsonObject(body)) return;
  for (const param of lineFileFields) {
    const id = body[param];
    if (typeof id === 'string' && caller.owns(unreadMark(id))) throw uncheckedFileError(id, param);
  }
  const param = unreadInputIn(body);
  if (param !== undefined) throw uncheckedAddressError(param);
}

const uncheckedFileError = (id: string, param: string): GatewayError =>
  new GatewayError('not_allowed', {
    message: `The lines of the file "${id.slice(0, 200)}" were not read when it was uploaded.`,
    param,
    hint: 'The provider has isolate: true, so the gateway must check each line. Upload the file again with its purpose (batch or fine-tune) before the file.',
  });

const uncheckedAddressError = (param: string): GatewayError =>
  new GatewayError('not_allowed', {
    message: `The provider has isolate: true, but the lines at the address in "${param.slice(0, 200)}" do not pass through the gateway.`,
    param,
    hint: 'Send the lines to /v1/files, and their id in "input_file_id".',
  });
