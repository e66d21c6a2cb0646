import { type JsonObject, isJsonObject } from '../../core/json/merge.ts';
import { printable } from '../../core/text/printable.ts';
import { plural } from '../../core/text/wording.ts';
import { type ReadyResponse, fetchReady } from './fetch-ready.ts';
import { type HealthTarget, healthTarget } from './target.ts';
import type { CliIo } from '../io.ts';
import { exitCodes } from '../command.ts';
import { durationOf, timeoutBounds } from '../flag-values.ts';
import { jsonText } from '../text.ts';

export interface HealthFlags {
  readonly config?: string;
  readonly url?: string;
  readonly timeout: string;
  /** Also exit with 1 if the last reload failed. */
  readonly strict?: boolean;
  readonly json?: boolean;
}

/** `gateway health`: asks a running gateway whether it is ready. Returns the exit code. */
export async function health(flags: HealthFlags, io: CliIo): Promise<number> {
  const timeoutMs = durationOf('timeout', flags.timeout, timeoutBounds);
  const target = healthTarget(flags, io);
  const response = await fetchReady(target, timeoutMs);
  const verdict = verdictOf(response);
  const isHealthy = verdict.ready && !(flags.strict === true && verdict.config?.['state'] === 'failed');
  io.stdout.write(flags.json === true ? jsonText(report(verdict, response, target)) : lines(verdict, response, target));
  return isHealthy ? exitCodes.yes : exitCodes.no;
}

interface HealthVerdict {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly notes: readonly string[];
  readonly config: JsonObject | undefined;
}

function verdictOf(response: ReadyResponse): HealthVerdict {
  if ('fault' in response) return { ready: false, reasons: [], notes: [], config: undefined };
  const { status, body } = response;
  const config = isJsonObject(body['config']) ? body['config'] : undefined;
  return {
    ready: status === 200 && body['status'] === 'ok',
    reasons: textsOf(body['reasons']),
    notes: textsOf(body['notes']),
    config,
  };
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string').map(printable) : [];

function report(verdict: HealthVerdict, response: ReadyResponse, { shown, faults }: HealthTarget): object {
  return {
    ready: verdict.ready,
    url: shown,
    ...('fault' in response ? { error: response.fault } : { status: response.status }),
    reasons: verdict.reasons,
    notes: verdict.notes,
    config: verdict.config ?? null,
    ...(verdict.ready || faults.length === 0 ? {} : { config_faults: faults }),
  };
}

/** One line; below it, the causes of a failed reload and possible reasons for a missing response. */
function lines(verdict: HealthVerdict, response: ReadyResponse, { shown, faults }: HealthTarget): string {
  const { config, reasons, notes } = verdict;
  const state = verdict.ready ? 'ready' : 'fault' in response ? 'unreachable' : 'not ready';
  const why = 'fault' in response ? [response.fault] : reasons;
  const first = [state, shown, ...why, ...(config === undefined ? [] : [configText(config)])].map(printable).join(' · ');
  const below = [
    ...textsOf(config?.['why']),
    ...notes,
    ...('fault' in response ? [...faults.map(printable), 'if the gateway listens on another address, set it with --url'] : []),
  ];
  return [first, ...below.map((line) => `  ${line}`), ''].join('\n');
}

function configText(config: JsonObject): string {
  const { state, revision, loaded_at: loadedAt, failed_since: since, errors } = config;
  if (state !== 'failed') return `config ok: revision ${String(revision)}, loaded ${String(loadedAt)}`;
  const count = typeof errors === 'number' && errors > 0 ? ` (${plural(errors, 'error')})` : '';
  return `config reload failed since ${String(since)}${count}: revision ${String(revision)} of ${String(loadedAt)} serves`;
}
