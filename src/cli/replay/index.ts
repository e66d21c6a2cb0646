import { replayLimitMs, type ReplayResult } from '../../admin/api-types.ts';
import type { Explanation } from '../../core/logs/explanation.ts';
import { printable, printableLines } from '../../core/text/printable.ts';
import { withReplayChanges } from '../../explain/logged/replay.ts';
import type { Registry } from '../../gateway/types.ts';
import { adminClient } from '../admin-client.ts';
import type { AdminFlags } from '../admin/target.ts';
import { asCommandError, exitCodes } from '../command.ts';
import { explainFile, print } from '../explain/index.ts';
import { configuredHeaderNames, loggedRequest, requestLogOf } from '../explain/logged.ts';
import { differenceText, explanationText } from '../explain/text.ts';
import { type CliIo, usualWidth } from '../io.ts';
import { jsonText } from '../text.ts';

export interface ReplayFlags extends AdminFlags {
  readonly to?: string | undefined;
  readonly configName?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly diff?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly keyStdin?: boolean | undefined;
}

/** `gateway replay ID`: sends a recorded request again, after showing what is sent. Returns the exit code: 1 for an error. */
export async function replay(id: string, flags: ReplayFlags, io: CliIo, registry: Registry): Promise<number> {
  const client = adminClient(flags, io);
  const names = await configuredHeaderNames(client);
  const { request, stored } = await loggedRequest(id, requestLogOf(client), names);
  const changedRequest = asUsageError(() => withReplayChanges(request, { to: flags.to, config: flags.configName }, names));
  if (flags.dryRun === true) {
    const explanation =
      flags.config === undefined
        ? await client.post<Explanation>('/api/explain', changedRequest)
        : await explainFile(changedRequest, flags, io, registry);
    return print(explanation, flags, io);
  }
  io.stderr.write(`${explanationText(await client.post<Explanation>('/api/explain', changedRequest), io.stderr.columns || usualWidth)}\n`);
  const key = await keyOf(flags, io);
  const replayRequest = {
    id: stored.record.id,
    ...(flags.to === undefined ? {} : { to: flags.to }),
    ...(flags.configName === undefined ? {} : { config: flags.configName }),
    ...(key === undefined ? {} : { api_key: key }),
    ...(flags.force === true ? { force: true } : {}),
  };
  // Longer than the gateway's own limit, so that the gateway times out first.
  const result = await client.post<ReplayResult>('/api/replay', replayRequest, replayLimitMs + 10_000);
  show(result, flags, io);
  // The log has no keys, so the request is sent without the one that it had.
  if (result.status === 401 && key === undefined)
    io.stderr.write('To send it with an API key of the gateway, set $GATEWAY_API_KEY, or use --key-stdin.\n');
  return result.status < 400 ? exitCodes.yes : exitCodes.no;
}

/** Reads the key from the environment or standard input, since flags are visible in process lists. */
async function keyOf({ keyStdin }: ReplayFlags, io: CliIo): Promise<string | undefined> {
  const text = keyStdin === true ? (await io.readStdin()).trim() : io.env['GATEWAY_API_KEY'];
  return text === undefined || text === '' ? undefined : text;
}

function show(result: ReplayResult, { json, diff }: ReplayFlags, io: CliIo): void {
  if (json === true) {
    io.stdout.write(jsonText(result));
    return;
  }
  io.stderr.write(`status ${result.status}   ${printable(result.id)}\n`);
  if (diff !== true) {
    const text = result.body.trimEnd();
    // A program gets the response unchanged.
    io.stdout.write(`${io.stdout.isTTY === true ? printableLines(text) : text}\n`);
    return;
  }
  const lines = result.differences.map((one) => `${printable(differenceText(one))}\n`);
  io.stdout.write(lines.length === 0 ? `${result.why_absent ?? 'The responses are the same.'}\n` : lines.join(''));
}

function asUsageError<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw asCommandError(error, exitCodes.usage);
  }
}
