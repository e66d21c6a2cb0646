import type { Explanation, ExplainRequest } from '../../core/logs/explanation.ts';
import { systemClock } from '../../core/async/system-clock.ts';
import { setupFailed } from '../load.ts';
import { type OpenExplainer, openExplainer } from '../../gateway/explain/open.ts';
import type { Registry } from '../../gateway/types.ts';
import { adminClient } from '../admin-client.ts';
import { asCommandError, CommandError, exitCodes, sameFile } from '../command.ts';
import { type CliIo, usualWidth } from '../io.ts';
import { jsonText } from '../text.ts';
import { bodyFile, curlText, hasReferences, isCut } from './curl.ts';
import { loadComplete } from './load-complete.ts';
import { configuredHeaderNames, loggedRequest, requestLogOf } from './logged.ts';
import { type ExplainFlags, requestOf } from './request.ts';
import { explanationText } from './text.ts';

/** `gateway explain`: shows how a request would be handled. Sends nothing. Returns the exit code: 1 if it would be rejected. */
export async function explain(flags: ExplainFlags, io: CliIo, registry: Registry): Promise<number> {
  const client = flags.running === true || flags.fromLog !== undefined ? adminClient(flags, io) : undefined;
  const logged =
    client === undefined || flags.fromLog === undefined
      ? undefined
      : (await loggedRequest(flags.fromLog, requestLogOf(client), await configuredHeaderNames(client))).request;
  const request = await requestOf(flags, io, logged);
  const explanation =
    client === undefined || flags.running !== true
      ? await explainFile(request, flags, io, registry)
      : await client.post<Explanation>('/api/explain', request);
  const code = print(explanation, flags, io);
  if (explanation.answer?.code === 'missing_api_key')
    io.stderr.write(`To explain the request of a key, name it with --key; ${sameFile('gateway keys list', flags)} shows the names.\n`);
  return code;
}

export function print(explanation: Explanation, flags: Pick<ExplainFlags, 'json' | 'asCurl'>, io: CliIo): number {
  const isRejected = explanation.answer !== null && explanation.answer.status >= 400;
  if (flags.asCurl === true) {
    const target = explanation.targets.find(({ goes_here }) => goes_here) ?? explanation.targets.find(({ url }) => url !== null);
    if (target === undefined || target.url === null)
      throw new CommandError(exitCodes.no, 'nothing would be sent', explanation.answer?.message);
    io.stdout.write(curlText(target));
    if (isCut(target)) io.stderr.write(`The body is too long to be shown: the command reads it from ${bodyFile}.\n`);
    if (hasReferences(target))
      io.stderr.write('References outside of credentials are not resolved, since a client may have written them.\n');
  } else if (flags.json === true) io.stdout.write(jsonText(explanation));
  else io.stdout.write(explanationText(explanation, io.stdout.columns || usualWidth));
  return isRejected ? exitCodes.no : exitCodes.yes;
}

/**
 * Explains a request with the configuration of a file.
 * @throws CommandError
 */
export async function explainFile(
  request: ExplainRequest,
  flags: Pick<ExplainFlags, 'config' | 'json'>,
  io: CliIo,
  registry: Registry,
): Promise<Explanation> {
  const { explainer, warnings, close } = await openFile(flags, io, registry);
  try {
    const explanation = await explainer.explain(request);
    return { ...explanation, warnings: [...warnings, ...explanation.warnings] };
  } catch (error) {
    throw asCommandError(error, exitCodes.no);
  } finally {
    await close();
  }
}

/**
 * Opens an explainer for a file, for many requests. The caller must close it.
 * @throws CommandError
 */
export async function openFile(
  flags: Pick<ExplainFlags, 'config'>,
  io: CliIo,
  registry: Registry,
): Promise<OpenExplainer & { readonly warnings: readonly string[] }> {
  const { loaded, written, warnings } = await loadComplete(flags, io, registry);
  try {
    return { ...(await openExplainer({ loaded, written, registry, clock: systemClock })), warnings };
  } catch (error) {
    throw setupFailed(error);
  }
}
