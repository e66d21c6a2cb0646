import { basename, dirname, relative } from 'node:path';
import type { PlanResult, Status } from '../../../admin/api-types.ts';
import { renameFiles } from '../../../config/report/files-diff.ts';
import { adminClient } from '../../admin-client.ts';
import { adminTarget } from '../../admin/target.ts';
import { CommandError, exitCodes, sameFile } from '../../command.ts';
import { countDiagnostics, shortDiagnostic } from '../../diagnostics.ts';
import { connectionReasons } from '../../text.ts';
import { type Check, fail, ok, type CheckResult, warn } from '../result.ts';
import type { CheckedConfig, Subject } from '../subject.ts';
import { isError } from '../../../config/report/diagnostic.ts';
import { plural, withoutFullStop } from '../../../core/text/wording.ts';

/** Time limit of a call of the running gateway in milliseconds. It loads the files, as a reload does. */
const callMs = 8000;

/** The configuration, and whether a running gateway uses it. */
export const checkConfig: Check = async (subject) => {
  const { config } = subject;
  if (config === undefined) return [warn('no configuration found: gateway start would only serve a mock provider', 'gateway init')];
  const { loaded, name } = config;
  const first = loaded.diagnostics.find(isError);
  if (first !== undefined) {
    const counts = countDiagnostics(loaded.diagnostics);
    return [
      fail(
        `${name} is not valid, ${counts}: ${shortDiagnostic(first)}`,
        `run ${sameFile('gateway check', subject.flags)} to see each with its location`,
      ),
    ];
  }
  const missing = Object.entries(loaded.missing).map(([slug, what]): CheckResult => {
    const fix = 'set it for the gateway; doctor sees only the environment of this shell';
    return warn(`"${slug}" is switched off, its secret is missing: ${what}`, fix);
  });
  return [await compared(config, subject), ...missing];
};

async function compared(config: CheckedConfig, subject: Subject): Promise<CheckResult> {
  const { loaded, name } = config;
  const warnings = loaded.diagnostics.length - Object.keys(loaded.missing).length;
  const counts = [plural(Math.max(1, loaded.files.length), 'file'), ...(warnings > 0 ? [plural(warnings, 'warning')] : [])];
  const valid = `${name} valid, ${counts.join(', ')}, revision ${loaded.revision}`;
  if (subject.flags.offline === true) return ok(`${valid}; not compared with a running gateway`);
  if (config.path === undefined) return ok(`${valid}; only a file can be compared with a running gateway`);
  return comparedWithRunning(valid, { ...config, path: config.path }, subject);
}

/** The running gateway compares, with its own environment: the revision depends on the secrets. */
async function comparedWithRunning(valid: string, config: CheckedConfig & { path: string }, { flags, io }: Subject): Promise<CheckResult> {
  const { path, loaded } = config;
  let address = '';
  try {
    address = adminTarget(flags, io).shown;
    const client = adminClient(flags, io);
    const files = renameFiles(loaded.texts, (one) => relative(dirname(path), one));
    const {
      ok: isValid,
      diagnostics,
      revision,
      against,
    } = await client.post<PlanResult>('/api/plan', { entry: basename(path), files }, callMs);
    if (!isValid) {
      const first = diagnostics.find(({ level }) => level === 'error');
      const location = first === undefined ? '' : `: ${first.file}:${first.line}: ${first.message}`;
      return fail(
        `${valid}, but the gateway at ${address} rejects it${location}`,
        first?.hint ?? `${sameFile('gateway status', flags)} shows the last reload`,
      );
    }
    if (revision === against) return ok(valid.replace(/revision \w+$/, `revision ${against} is the one running`));
    const { config_path: other } = await client.get<Status>('/api/status');
    return other === path
      ? warn(
          `${valid}, but the gateway at ${address} runs revision ${against}`,
          `${sameFile('gateway plan', flags)} shows the difference, ${sameFile('gateway reload', flags)} applies it`,
        )
      : warn(
          `${valid}, but the gateway at ${address} runs ${other ?? 'without a file'}`,
          'name its file with -c, or another gateway with --admin',
        );
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return notCompared(valid, error, flags.admin ?? io.env['GATEWAY_ADMIN'] ?? '');
  }
}

/** It is normal that no gateway runs, unless one was named. */
function notCompared(valid: string, { code, message, hint }: CommandError, named: string): CheckResult {
  const isAbsent = [connectionReasons['ECONNREFUSED'], connectionReasons['ENOENT']].some((why) => message.endsWith(`: ${why}`));
  if (code === exitCodes.unreachable && isAbsent && named === '') return ok(`${valid}; no gateway runs`);
  return warn(`${valid}, but not compared with a running gateway: ${message}`, hint === undefined ? undefined : withoutFullStop(hint));
}
