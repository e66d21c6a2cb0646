import { GatewayError } from '../../core/error.ts';
import { parseObject, textOf } from '../shared/json.ts';

/** Final statuses of a batch. */
const terminal: ReadonlySet<string> = new Set(['completed', 'failed', 'expired', 'cancelled']);

/** The file with a batch's results, and warnings for the client. */
export interface BatchOutput {
  readonly fileId: string;
  readonly warnings: readonly string[];
}

/**
 * Finds the output file in the text of a Batch object: the results or, if no request succeeded, the errors, with a warning.
 *
 * @throws GatewayError `no_batch_output`
 */
export function batchOutput(text: string): BatchOutput {
  const batch = parseObject(text) ?? {};
  const output = textOf(batch['output_file_id']);
  if (output !== undefined) return { fileId: output, warnings: [] };
  const errors = textOf(batch['error_file_id']);
  if (errors === undefined) throw noBatchOutput(textOf(batch['id']) ?? '', textOf(batch['status']) ?? 'unknown');
  return { fileId: errors, warnings: ['The batch has no output file: these are the lines of its error file.'] };
}

/** Error for a batch without a file: 409 while it may still get one, 404 afterwards. */
export function noBatchOutput(id: string, status: string): GatewayError {
  const isOver = terminal.has(status.toLowerCase());
  return new GatewayError('no_batch_output', {
    message: `The batch "${id}" has no output: its status is "${status}".`,
    status: isOver ? 404 : 409,
    param: 'batch_id',
    hint: isOver
      ? 'See its "errors" for why no request was run.'
      : 'Request it again when the status is "completed", "expired" or "cancelled".',
  });
}
