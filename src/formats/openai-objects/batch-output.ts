import { GatewayError } from '../../core/error.ts';
import { parseObject, textOf } from '../shared/json.ts';

/** Statuses of a batch that will change no more. */
const terminal: ReadonlySet<string> = new Set(['completed', 'failed', 'expired', 'cancelled']);

/** The file that holds a batch's answers, and what has to be said about it. */
export interface BatchOutput {
  readonly fileId: string;
  readonly warnings: readonly string[];
}

/**
 * Which file the output of a batch is, from the text of its Batch object: the answers, or where no request succeeded
 * the errors, which is said.
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

/** The refusal for a batch without a file: 409 while it may still get one, 404 once it can't. */
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
