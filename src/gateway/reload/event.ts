import type { ReloadResult } from '../../config/reload/reloader.ts';
import type { GatewayEvent } from '../types.ts';

/** Converts the result of a reload or a rollback to an event. */
export function eventOf(result: ReloadResult, isRollback = false): GatewayEvent {
  const marks = isRollback ? { isRollback } : {};
  switch (result.kind) {
    case 'applied': {
      const { revision, changes, ms, restart, warnings } = result;
      return { type: 'reloaded', revision, changes, ms: Math.round(ms), restart, warnings, ...marks };
    }
    case 'unchanged':
      return { type: 'unchanged', revision: result.revision, recovered: result.recovered };
    case 'rejected': {
      const cause = result.cause instanceof Error ? result.cause.message : undefined;
      return {
        type: 'rejected',
        revision: result.revision ?? '',
        diagnostics: result.diagnostics,
        ...(cause === undefined ? {} : { reason: cause }),
        ...marks,
      };
    }
    default:
      return result satisfies never;
  }
}
