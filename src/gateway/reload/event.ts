import type { ReloadResult } from '../../config/reload/reloader.ts';
import type { GatewayEvent } from '../types.ts';

/** Converts the result of a reload to an event. */
export function eventOf(result: ReloadResult): GatewayEvent {
  switch (result.kind) {
    case 'applied':
      return { type: 'reloaded', revision: result.revision, changes: result.changes, ms: Math.round(result.ms), restart: result.restart };
    case 'unchanged':
      return { type: 'unchanged', revision: result.revision, recovered: result.recovered };
    case 'rejected': {
      const cause = result.cause instanceof Error ? result.cause.message : undefined;
      return {
        type: 'rejected',
        revision: result.revision ?? '',
        diagnostics: result.diagnostics,
        ...(cause === undefined ? {} : { reason: cause }),
      };
    }
    default:
      return result satisfies never;
  }
}
