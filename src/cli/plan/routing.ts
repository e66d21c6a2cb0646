import type { PlanResult, StoredRecords } from '../../admin/api-types.ts';
import { GatewayError } from '../../core/error.ts';
import type { LogRow } from '../../core/logs/row.ts';
import type { Explainer } from '../../explain/explainer.ts';
import type { HeaderNames } from '../../transport/inbound/header-bag.ts';
import type { Registry } from '../../gateway/types.ts';
import type { AdminClient } from '../admin-client.ts';
import { CommandError } from '../command.ts';
import { openFile } from '../explain/index.ts';
import { configuredHeaderNames, loggedRequest } from '../explain/logged.ts';
import type { CliIo } from '../io.ts';
import { rowsOf, storedRecords } from '../logs/pages.ts';

/** Compares the first target of recent requests under a file with the target recorded in the log. */
export interface Routing {
  /** Number of requests compared. */
  readonly requests: number;
  readonly same: number;
  readonly moved: readonly { readonly from: string; readonly to: string; readonly requests: number; readonly configs: readonly string[] }[];
  /** Requests that were served, and that the gateway would reject under the file. */
  readonly rejected: readonly { readonly code: string; readonly message: string; readonly requests: number }[];
  /** Number of requests whose body, or a header that affects routing, is not stored completely. */
  readonly unknown: number;
}

/** Output of `--json`. `routing` is null if no recorded requests were examined. */
export interface ReloadPlan extends PlanResult {
  readonly routing: Routing | null;
}

type RoutingVerdict = { readonly kind: 'same' | 'unknown' } | { readonly kind: 'moved'; readonly to: string } | RejectedVerdict;
interface RejectedVerdict {
  readonly kind: 'rejected';
  readonly code: string;
  readonly message: string;
}

/**
 * @param limit number of requests to examine
 * @throws CommandError
 */
export async function routingOf(
  client: AdminClient,
  limit: number,
  flags: { readonly config: string },
  io: CliIo,
  registry: Registry,
): Promise<Routing> {
  const { explainer, close } = await openFile(flags, io, registry);
  const tally = new RoutingCounter();
  try {
    const names = await configuredHeaderNames(client);
    for await (const page of rowsOf(client, 'provider:*', limit)) {
      const rows = new Map(page.map((row) => [row.id, row]));
      for await (const records of storedRecords(client, [...rows.keys()], true)) {
        for (const record of records) {
          const row = rows.get(record.stored.record.id);
          if (row === undefined) continue;
          rows.delete(row.id);
          tally.add(row, await verdictOn(row, record, { explainer, names }));
        }
      }
      // Deleted in the meantime.
      for (const row of rows.values()) tally.add(row, { kind: 'unknown' });
    }
  } finally {
    await close();
  }
  return tally.routing();
}

/** The first target of a request: where it was sent if nothing failed. */
function firstOf({ hops, provider, model }: LogRow): string {
  const first = hops[0];
  return first === undefined ? nameOf(provider, model) : nameOf(first.provider, first.model);
}

/** Requests for files, batches and lists have no model. */
const nameOf = (provider: string | null, model: string | null): string => (model ? `${provider}/${model}` : String(provider));

async function verdictOn(
  row: LogRow,
  { stored, request: body }: StoredRecords['records'][number],
  { explainer, names }: { readonly explainer: Explainer; readonly names: HeaderNames },
): Promise<RoutingVerdict> {
  try {
    const bytes = body === null ? undefined : Buffer.from(body, 'base64');
    const { request } = await loggedRequest(row.id, { get: async () => stored, body: async () => bytes }, names);
    const { answer, targets } = await explainer.explain(request);
    const target = targets.find(({ goes_here: here }) => here);
    if (target === undefined) {
      if (answer === null || answer.status < 400) return { kind: 'unknown' };
      return row.status >= 400
        ? { kind: 'same' }
        : { kind: 'rejected', code: answer.code ?? String(answer.status), message: answer.message };
    }
    const to = nameOf(target.provider, target.model);
    return to === firstOf(row) ? { kind: 'same' } : { kind: 'moved', to };
  } catch (error) {
    // The log lacks a part of this record, or has deleted it.
    if (error instanceof CommandError || error instanceof GatewayError) return { kind: 'unknown' };
    throw error;
  }
}

class RoutingCounter {
  #same = 0;
  #unknown = 0;
  readonly #moved = new Map<string, { from: string; to: string; requests: number; configs: Set<string> }>();
  readonly #rejected = new Map<string, { code: string; message: string; requests: number }>();

  add(row: LogRow, verdict: RoutingVerdict): void {
    switch (verdict.kind) {
      case 'same':
        this.#same += 1;
        return;
      case 'unknown':
        this.#unknown += 1;
        return;
      case 'moved': {
        const from = firstOf(row);
        const found = this.#moved.get(`${from}\n${verdict.to}`) ?? { from, to: verdict.to, requests: 0, configs: new Set() };
        this.#moved.set(`${from}\n${verdict.to}`, found);
        found.requests += 1;
        found.configs.add(row.config ?? '-');
        return;
      }
      case 'rejected': {
        const found = this.#rejected.get(verdict.code) ?? { code: verdict.code, message: verdict.message, requests: 0 };
        this.#rejected.set(verdict.code, found);
        found.requests += 1;
      }
    }
  }

  routing(): Routing {
    const byRequests = <T extends { readonly requests: number }>(all: Iterable<T>): T[] =>
      [...all].toSorted((a, b) => b.requests - a.requests);
    const moved = byRequests(this.#moved.values()).map((one) => ({ ...one, configs: [...one.configs] }));
    const rejected = byRequests(this.#rejected.values());
    const requests = [...moved, ...rejected].reduce((sum, one) => sum + one.requests, this.#same);
    return { requests, same: this.#same, moved, rejected, unknown: this.#unknown };
  }
}
