import type { LogRecord } from '../../core/records/record.ts';
import type { Overrun, Script } from '../upstream/script.ts';
import type { RecordedClient } from './recorded-client.ts';

/** What happened to the request of a test. Secrets of the configuration are replaced by their references. */
export interface TestOutcome {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** The response as the client gets it. */
  readonly body: string;
  readonly error: { readonly code: string; readonly message: string } | undefined;
  /** Path of the target that responded, such as `configs.support.targets[0]`, and its provider. */
  readonly target: string | null;
  readonly provider: string | null;
  /** The provider of each attempt that was sent. */
  readonly attempts: readonly string[];
  /** The body of the last request to a provider; undefined if none was sent. */
  readonly sent: string | undefined;
  readonly overruns: readonly Overrun[];
}

/** @param hide replaces secrets in a text */
export function outcomeOf(client: RecordedClient, record: LogRecord, script: Script, hide: (text: string) => string): TestOutcome {
  const { error, target, provider } = record;
  const attempts = new Map(script.sent.map(({ attempt }) => [attempt.index, attempt.binding.slug]));
  const last = script.sent.at(-1);
  return {
    status: client.status,
    headers: new Map([...client.headers].map(([name, value]) => [name, hide(value)])),
    body: hide(client.body),
    error: error === null ? undefined : { code: error.code, message: hide(error.message) },
    target,
    provider,
    attempts: [...attempts.values()],
    sent: last === undefined ? undefined : hide(last.body.toString('utf8')),
    overruns: script.overruns,
  };
}
