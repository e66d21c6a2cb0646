import { withTimeout } from '../../core/async/with-timeout.ts';
import { createMask } from '../../core/secrets/mask.ts';
import { printable } from '../../core/text/printable.ts';
import { errorMessage } from '../../core/error.ts';
import type { Registry } from '../../gateway/types.ts';
import type { AdminFlags } from '../admin/target.ts';
import { exitCodes } from '../command.ts';
import { type CliIo, hasColors, terminalWidth } from '../io.ts';
import { jsonText } from '../text.ts';
import { checkConfig } from './checks/config.ts';
import { checkListeners } from './checks/listeners.ts';
import { checkMemory } from './checks/memory.ts';
import { checkNetwork } from './checks/network.ts';
import { checkNode } from './checks/node.ts';
import { checkOpenFiles } from './checks/open-files.ts';
import { checkPermissions } from './checks/permissions.ts';
import { checkRequestLog } from './checks/request-log.ts';
import { checkStateDir } from './checks/state-dir.ts';
import { checkWatching } from './checks/watching.ts';
import { type Check, type CheckResult, type Finding, skip } from './result.ts';
import { readConfig, type Subject, thisMachine } from './subject.ts';
import { reportText } from './text.ts';

export interface DoctorFlags extends AdminFlags {
  readonly offline?: boolean | undefined;
}

/** All checks, in the order in which they are shown. */
const checks: Readonly<Record<string, Check>> = {
  node: checkNode,
  config: checkConfig,
  permissions: checkPermissions,
  watching: checkWatching,
  state_dir: checkStateDir,
  request_log: checkRequestLog,
  network: checkNetwork,
  memory: checkMemory,
  open_files: checkOpenFiles,
  listeners: checkListeners,
};

/** Time limit of a check in milliseconds. Its own time limits are shorter. */
const limitMs = 20_000;

/** `gateway doctor`: runs all checks at the same time. Returns the exit code: 1 if one failed. */
export async function doctor(flags: DoctorFlags, io: CliIo, registry: Registry): Promise<number> {
  const config = await readConfig(flags.config, io, registry);
  const subject: Subject = { io, registry, flags, config, machine: thisMachine() };
  const mask = createMask(config?.loaded.secrets ?? []);
  const shown = (text: string): string => printable(mask.text(text));
  const results = await Promise.all(
    Object.entries(checks).map(async ([check, run]) => ({ check, found: await guarded(check, run, subject) })),
  );
  const findings = results.flatMap(({ check, found }) =>
    found.map(({ state, says, fix }): Finding => ({ check, state, says: shown(says), fix: fix === undefined ? null : shown(fix) })),
  );
  const isOk = !findings.some(({ state }) => state === 'fail');
  if (flags.json === true) io.stdout.write(jsonText({ ok: isOk, checks: findings }));
  else io.stdout.write(reportText(findings, { colors: hasColors(io.stdout, io), width: terminalWidth(io.stdout) }));
  return isOk ? exitCodes.yes : exitCodes.no;
}

/** Runs a check within its time. One that cannot run must not hide the others. */
async function guarded(name: string, run: Check, subject: Subject): Promise<readonly CheckResult[]> {
  const result = (async () => run(subject))();
  return withTimeout(result, limitMs, () => [skip(`${name}: no result within ${limitMs / 1000} s`)]).catch((error: unknown) => [
    skip(`${name}: the check could not run: ${errorMessage(error)}`),
  ]);
}
