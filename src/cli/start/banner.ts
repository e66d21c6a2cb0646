import { briefDiagnostic, type Diagnostic, isError } from '../../config/report/diagnostic.ts';
import { printable } from '../../core/text/printable.ts';
import { formatDuration } from '../../core/text/units.ts';
import { plural } from '../../core/text/wording.ts';
import type { GatewayEvent } from '../../gateway/types.ts';

/** Facts that the start prints. */
export interface BannerFacts {
  readonly version: string;
  /** For example `v24.21.0`. */
  readonly node: string;
  readonly pid: number;
  /** Undefined in try-out mode. */
  readonly file:
    | { readonly shown: string; readonly included: number; readonly checkedMs: number | undefined; readonly isCopy?: boolean }
    | undefined;
  readonly revision: string;
  readonly warnings: readonly Diagnostic[];
  /** Slugs. In try-out mode, also the variable from which a provider gets its key. */
  readonly providers: readonly { readonly slug: string; readonly from?: string | undefined }[];
  readonly counts: { readonly configs: number; readonly apiKeys: number; readonly virtualKeys: number; readonly prompts?: number };
  readonly pipeline: readonly string[];
  /** Including `/v1`. */
  readonly url: string;
  readonly probes: string | undefined;
  /** Address of the dashboard, on a terminal with a one-time sign-in link; or why there is none. Undefined if disabled. */
  readonly admin?:
    | { readonly url: string; readonly link: string | undefined; readonly canSignIn: boolean }
    | { readonly fault: string }
    | undefined;
  /** The command that shows all warnings. */
  readonly checkCommand: string;
  /** Deviations from the configuration, one sentence each. */
  readonly notes?: readonly string[];
  /** Process ids of the workers; undefined if one process serves all requests. */
  readonly workers?: readonly number[] | undefined;
  /** Only this machine can connect. */
  readonly isLoopback: boolean;
  readonly readyMs: number;
  /** Number of watched files; undefined if none are watched. */
  readonly watching: number | undefined;
  /** Model for a first request that is free and needs no key; undefined if there is none. */
  readonly model: string | undefined;
}

const indent = ' '.repeat(11);
const maxShown = 10;

/** Text of the start, without a final line feed. */
export function banner(facts: BannerFacts): string {
  const lines = [
    `gateway ${facts.version} · node ${facts.node.replace(/^v(\d+\.\d+).*/, '$1')} · pid ${facts.pid}`,
    row('config', configLine(facts)),
    ...problems(facts.warnings, indent, facts.checkCommand),
    row('providers', providersLine(facts)),
    row('pipeline', facts.pipeline.join(' → ')),
    ...(facts.notes ?? []).map((note) => row('NOTE', printable(note))),
    row('listening', facts.url + (facts.probes === undefined ? '' : `      probes  ${facts.probes}`)),
    ...(facts.workers === undefined ? [] : [row('workers', `${facts.workers.length} · pids ${facts.workers.join(' ')}`)]),
    ...dashboardLine(facts.admin),
    `ready in ${(facts.readyMs / 1000).toFixed(2)} s${facts.watching === undefined ? '' : ` · watching ${plural(facts.watching, 'file')}`}`,
  ];
  return [...lines, ...(facts.model === undefined ? [] : tryIt(facts.url, facts.model)), ''].join('\n');
}

/** Fields of the start's JSON log line. */
export function bannerFields(facts: BannerFacts): object {
  const { version, node, pid, file, revision, warnings, providers, counts, pipeline, url, probes, admin, readyMs } = facts;
  const slugs = providers.map(({ slug }) => slug);
  const briefWarnings = warnings.map(briefDiagnostic);
  return {
    version,
    node,
    pid,
    config: file?.shown ?? null,
    revision,
    warnings: briefWarnings,
    providers: slugs,
    counts,
    pipeline,
    url,
    probes,
    ...(admin === undefined ? {} : { dashboard: 'fault' in admin ? null : admin.url }),
    ...(facts.workers === undefined ? {} : { workers: facts.workers }),
    ...(facts.notes === undefined || facts.notes.length === 0 ? {} : { notes: facts.notes }),
    ready_ms: Math.round(readyMs),
  };
}

/** For example `config reloaded · revision 91bd0e7 · ~configs.support  +providers.claude  (38 ms, 0 requests interrupted)`. */
export function reloadedText(event: Omit<Extract<GatewayEvent, { type: 'reloaded' }>, 'type'>, time: string, checkCommand: string): string {
  const { revision, changes, ms, restart, warnings } = event;
  const shown = changes.length > maxShown ? [...changes.slice(0, maxShown), `and ${changes.length - maxShown} more`] : changes;
  const what = shown.length === 0 ? '' : ` · ${printable(shown.join('  '))}`;
  const first = `${time}  ${reloadedMessage(event)} · revision ${revision}${what}  (${formatDuration(ms)}, 0 requests interrupted)`;
  const before = ' '.repeat(10);
  return [
    first,
    ...(restart.length === 0 ? [] : [`${before}needs a restart: ${restart.join(', ')}`]),
    ...problems(warnings, before, checkCommand),
  ].join('\n');
}

/** Message of a log line about a new revision. */
export const reloadedMessage = ({ isRollback }: RollbackMark): string => (isRollback === true ? 'config rolled back' : 'config reloaded');

/** Message of a log line about a revision that was rejected. */
export const rejectedMessage = ({ isRollback }: RollbackMark): string => `config NOT ${isRollback === true ? 'rolled back' : 'reloaded'}`;

interface RollbackMark {
  readonly isRollback?: boolean | undefined;
}

/** Reports a rejected reload or rollback: the revision that stays in use, and the errors in the files. */
export function rejectedText(event: Omit<Extract<GatewayEvent, { type: 'rejected' }>, 'type'>, time: string, checkCommand: string): string {
  return [`${time}  ${rejectedMessage(event)}, revision ${event.revision} keeps serving:`, ...causes(event, checkCommand)].join('\n');
}

/** Reports that a saved copy is in use instead of the files, and the errors in them. */
export function lastGoodText(
  event: {
    readonly revision: string;
    /** Unix milliseconds. */
    readonly savedAt: number;
    readonly diagnostics: readonly Diagnostic[];
    readonly reason?: string | undefined;
  },
  file: string,
  time: string,
  checkCommand: string,
): string {
  const from = new Date(event.savedAt).toISOString().slice(0, 16).replace('T', ' ');
  const first = `${time}  ${file} is INVALID: serving the last valid copy, revision ${event.revision}, saved ${from} UTC`;
  return [first, ...causes(event, checkCommand)].join('\n');
}

/** Errors of a rejected load, indented. */
function causes(
  event: { readonly diagnostics: readonly Diagnostic[]; readonly reason?: string | undefined },
  checkCommand: string,
): string[] {
  const errors = event.diagnostics.filter(isError);
  const reason = event.reason === undefined ? [] : [`${' '.repeat(10)}${printable(event.reason)}`];
  return [...reason, ...problems(errors, ' '.repeat(10), checkCommand)];
}

function row(name: string, text: string): string {
  return `${name.padEnd(11)}${text}`;
}

function dashboardLine(admin: BannerFacts['admin']): string[] {
  if (admin === undefined) return [];
  if ('fault' in admin) return [row('dashboard', `off: ${printable(admin.fault)}`)];
  const { url, link, canSignIn } = admin;
  if (link !== undefined) return [row('dashboard', `${link}  (one-time link)`)];
  return [row('dashboard', canSignIn ? `${url}  (gateway dashboard prints a link that signs in)` : url)];
}

function configLine({ file, revision, warnings }: BannerFacts): string {
  if (file === undefined) return 'none found, serving with a mock provider (gateway init writes gateway.yaml, -c names another file)';
  const parts = [
    (file.isCopy === true ? 'last valid copy of ' : '') + file.shown + (file.included === 0 ? '' : ` + ${file.included} included`),
    `revision ${revision}`,
    ...(file.checkedMs === undefined ? [] : [`checked in ${formatDuration(file.checkedMs)}`]),
    ...(warnings.length === 0 ? [] : [plural(warnings.length, 'warning')]),
  ];
  return parts.join(' · ');
}

function providersLine({ providers, counts, file, isLoopback }: BannerFacts): string {
  const names = providers.map(({ slug, from }) => (from === undefined ? slug : `${slug} (from ${from})`)).join(' · ');
  const numbers = [
    ...(counts.configs === 0 ? [] : [`configs ${counts.configs}`]),
    ...(counts.virtualKeys === 0 ? [] : [`virtual keys ${counts.virtualKeys}`]),
    counts.apiKeys === 0
      ? `no API keys: open to ${isLoopback ? 'this machine' : 'everyone who can connect'}`
      : `api keys ${counts.apiKeys}`,
    ...(counts.prompts === undefined || counts.prompts === 0 ? [] : [`prompts ${counts.prompts}`]),
  ];
  const shown = names === '' ? 'none' : names;
  return file === undefined ? shown : `${shown}        ${numbers.join(' · ')}`;
}

function problems(diagnostics: readonly Diagnostic[], before: string, checkCommand: string): string[] {
  const shown = diagnostics.slice(0, maxShown).map((one) => before + briefDiagnostic(one));
  const more = diagnostics.length - maxShown;
  return more > 0 ? [...shown, `${before}and ${more} more: run ${checkCommand}`] : shown;
}

function tryIt(url: string, model: string): string[] {
  const body = (more: string) => `'{"model":"${model}",${more}"messages":[{"role":"user","content":"hello"}]}'`;
  const at = url.startsWith('unix:') ? `--unix-socket ${url.slice(5).replace(/\/v1$/, '')} http://localhost/v1` : url;
  const curl = (flag: string, more: string) => [
    `  curl ${flag}${at}/chat/completions -H 'content-type: application/json' \\`,
    `    -d ${body(more)}`,
  ];
  return ['', 'Try it:', ...curl('', ''), ...curl('-N ', '"stream":true,')];
}
