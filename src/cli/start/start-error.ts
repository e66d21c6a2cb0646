import type { StartError } from '../../gateway/types.ts';
import type { CliStream } from '../io.ts';
import { findPortOwner, findSocketOwner } from './port-owner.ts';
import { countDiagnostics, prettyDiagnostics } from '../diagnostics.ts';
import { isError } from '../../config/report/diagnostic.ts';
import { withoutFullStop } from '../../core/text/wording.ts';

/** Prints to stderr why the gateway did not start. Returns the exit code. */
export function printStartError(error: StartError, stderr: Pick<CliStream, 'write'>, colors: boolean): number {
  const lines = error.diagnostics.length === 0 ? [] : [prettyDiagnostics(error.diagnostics, { colors }), ''];
  const isConfig = error.diagnostics.some(isError);
  if (isConfig) lines.push(`${countDiagnostics(error.diagnostics)}: the gateway did not start`);
  else lines.push(`error: ${withoutFullStop(error.message)}${ownerOf(error.cause)}`);
  for (const hint of error.hint?.split('\n') ?? []) lines.push(`  ${hint}`);
  stderr.write(`${lines.join('\n')}\n`);
  return error.exitCode;
}

/** The process that uses the address, if the system reveals it. */
function ownerOf(cause: unknown): string {
  if (!(cause instanceof Error) || !('code' in cause) || cause.code !== 'EADDRINUSE') return '';
  const { port, path } = cause as { port?: unknown; path?: unknown };
  const owner = typeof path === 'string' ? findSocketOwner(path) : findPortOwner(Number(port));
  return owner === undefined ? '' : ` (process ${owner.pid}: ${owner.command})`;
}
