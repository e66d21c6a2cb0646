import { GatewayError } from '../../../core/error.ts';
import { lineDiff } from '../../../core/diff/line-diff.ts';
import { barePath } from '../../../core/text/display-path.ts';
import { reloadLimitMs, type RevisionView } from '../../api-types.ts';
import { type AdminCall, type AdminRoute, textIn } from '../route.ts';

/** Maximum drain timeout, in milliseconds. */
const maxDrainMs = 86_400_000;

export const servingRoutes: readonly AdminRoute[] = [
  {
    method: 'POST',
    path: '/api/reload',
    role: 'admin',
    about:
      'Reloads the files now and returns the result. If the gateway rejects the configuration, the status is 200 and `result` is `rejected`.',
    returns: '`ReloadVerdict`',
    limitMs: reloadLimitMs,
    handle: async ({ subject }) => ({ json: await subject.reload() }),
  },
  {
    method: 'POST',
    path: '/api/rollback',
    role: 'admin',
    about: 'Uses an earlier revision until a file changes or the next reload.',
    body: { revision: 'one of `GET /api/revisions`; default: the previous one' },
    returns: '`ReloadVerdict`',
    limitMs: reloadLimitMs,
    handle: async (call) => {
      const body = await call.body();
      return { json: await call.subject.rollback(body['revision'] === undefined ? undefined : textIn(body, 'revision')) };
    },
  },
  {
    method: 'GET',
    path: '/api/revisions',
    role: 'operator',
    about: 'The last 20 configurations that were in use, newest first. Secrets in the texts are masked.',
    returns: '`RevisionView[]`',
    handle: async (call) => {
      await call.subject.revisions.settled();
      return { json: revisionsOf(call) };
    },
  },
  {
    method: 'POST',
    path: '/api/drain',
    role: 'admin',
    about: 'Stops the gateway: it accepts no new requests, finishes those in progress, and exits.',
    body: { timeout_ms: 'how long running requests may continue, in milliseconds; default: `server.drain.timeout`' },
    returns: '`{in_flight}`',
    handle: async (call) => {
      const timeout = (await call.body())['timeout_ms'];
      if (timeout !== undefined && !(Number.isInteger(timeout) && (timeout as number) >= 0 && (timeout as number) <= maxDrainMs))
        throw new GatewayError('invalid_value', {
          message: `"timeout_ms" is not a whole number from 0 to ${maxDrainMs}.`,
          param: 'timeout_ms',
        });
      // The response is sent first.
      setImmediate(() => call.subject.drain(timeout as number | undefined));
      return { json: { in_flight: call.subject.activity().inFlight } };
    },
  },
];

function revisionsOf({ subject }: AdminCall): readonly RevisionView[] {
  const serving = subject.snapshot().revision;
  const all = subject.revisions.list();
  // If several revisions have the same content, the newest one is the active one.
  const at = all.findIndex(({ revision }) => revision === serving);
  return all.map(({ revision, appliedAt, changes, files }, i) => ({
    revision,
    applied_at: appliedAt,
    serves: i === at,
    files: Object.entries(files).map(([path, { modifiedAt }]) => ({ path: barePath(path, subject.cwd), modified_at: modifiedAt })),
    changes,
    diff: diffOf(files, all[i + 1]?.files ?? {}, subject.cwd),
  }));
}

type Files = Readonly<Record<string, { readonly text: string }>>;

function diffOf(files: Files, before: Files, cwd: string): string {
  let out = '';
  for (const path of new Set([...Object.keys(before), ...Object.keys(files)])) {
    const diff = lineDiff(before[path]?.text ?? '', files[path]?.text ?? '');
    const name = barePath(path, cwd);
    if (diff !== '') out += `--- ${name}\n+++ ${name}\n${diff}`;
  }
  return out;
}
