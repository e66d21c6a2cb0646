import { createHash } from 'node:crypto';
import type { CircuitPolicy, ProviderBinding } from '../../../core/snapshot.ts';
import { invalid } from '../invalid.ts';
import { needDuration } from '../timeouts.ts';
import { compileStatusCodes, type StatusCodes } from './status-codes.ts';

/** `strategy.cb_config` as written. */
export interface CircuitEntry {
  readonly failure_threshold?: number;
  readonly failure_threshold_percentage?: number;
  readonly minimum_requests?: number;
  readonly cooldown_interval?: number | string;
  readonly failure_status_codes?: StatusCodes;
}

/** Location of a target, and its provider. */
export interface CircuitLocation {
  /** Name of the config, or its text when it was sent with a request. */
  readonly tree: string;
  readonly path: string;
  /** Undefined when each request chooses the provider: a failure is then not evidence about the target. */
  readonly provider: ProviderBinding | undefined;
}

/**
 * Compiles `cb_config` for one target.
 * @throws GatewayError `invalid_config`
 */
export function compileCircuit(entry: CircuitEntry | undefined, { tree, path, provider }: CircuitLocation): CircuitPolicy | undefined {
  if (entry === undefined) return undefined;
  const { failure_threshold: failures, failure_threshold_percentage: percentage } = entry;
  if (failures === undefined && percentage === undefined) {
    throw invalid(
      'cb_config needs "failure_threshold" or "failure_threshold_percentage"',
      'Add failure_threshold: 5, for example.',
      `${path}.strategy.cb_config`,
    );
  }
  if (provider === undefined) return undefined;
  return Object.freeze({
    id: createHash('sha256')
      .update(JSON.stringify([tree, path, provider.slug, entry]))
      .digest('base64url'),
    failures,
    share: percentage === undefined ? undefined : percentage / 100,
    minimum: entry.minimum_requests ?? 5,
    cooldownMs: needDuration(entry.cooldown_interval ?? 30_000),
    fails: compileStatusCodes(entry.failure_status_codes ?? ['5xx']),
  });
}
