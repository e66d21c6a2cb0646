import { createHash } from 'node:crypto';
import type { CircuitPolicy, ProviderBinding } from '../../../core/snapshot.ts';
import { invalidConfig } from '../invalid.ts';
import { requireDuration } from '../timeouts.ts';
import { compileStatusCodes, type StatusCodes } from './status-codes.ts';

/** `strategy.cb_config` as written. */
export interface CircuitEntry {
  readonly failure_threshold?: number;
  readonly failure_threshold_percentage?: number;
  readonly minimum_requests?: number;
  readonly cooldown_interval?: number | string;
  readonly failure_status_codes?: StatusCodes;
}

/** A compiled `cb_config`. Each target that inherits it has its own circuit. */
export interface Circuit {
  readonly policy: Omit<CircuitPolicy, 'id'>;
  /** Hash of the definition and of the config that contains it. */
  readonly hash: string;
}

/**
 * Compiles `cb_config`.
 * @param configId name of the config, or its text when it was sent with a request
 * @param path node that has the `strategy`
 * @throws GatewayError `invalid_config`
 */
export function compileCircuit(entry: CircuitEntry, configId: string, path: string): Circuit {
  const { failure_threshold: failures, failure_threshold_percentage: percentage } = entry;
  if (failures === undefined && percentage === undefined) {
    throw invalidConfig(
      'cb_config needs "failure_threshold" or "failure_threshold_percentage"',
      'Add failure_threshold: 5, for example.',
      `${path}.strategy.cb_config`,
    );
  }
  return {
    hash: hashOf([configId, entry]),
    policy: Object.freeze({
      failures,
      share: percentage === undefined ? undefined : percentage / 100,
      minimum: entry.minimum_requests ?? 5,
      cooldownMs: requireDuration(entry.cooldown_interval ?? 30_000),
      fails: compileStatusCodes(entry.failure_status_codes ?? ['5xx']),
    }),
  };
}

/**
 * The circuit of one target.
 * @param provider undefined when each request chooses it: a failure is then not evidence about the target
 */
export function circuitOf(circuit: Circuit | undefined, path: string, provider: ProviderBinding | undefined): CircuitPolicy | undefined {
  if (circuit === undefined || provider === undefined) return undefined;
  return Object.freeze({ ...circuit.policy, id: hashOf([circuit.hash, path, provider.slug]) });
}

const hashOf = (parts: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
