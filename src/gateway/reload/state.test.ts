import { beforeEach, describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../config/report/diagnostic.ts';
import type { ValidConfig } from '../../config/reload/load.ts';
import type { RejectedReload, ReloadResult } from '../../config/reload/reloader.ts';
import { ReloadState } from './state.ts';

let now: number;
let state: ReloadState;
const iso = (ms: number): string => new Date(ms).toISOString();

const appliedReload = (revision: string): ReloadResult => ({
  kind: 'applied',
  revision,
  ms: 1,
  changes: [],
  restart: [],
  warnings: [],
  loaded: {} as ValidConfig,
});
const unchanged: ReloadResult = { kind: 'unchanged', revision: 'aaa', recovered: true };
const problem = (message: string, severity: Diagnostic['severity'] = 'error'): Diagnostic => ({
  code: 'unknown-key',
  severity,
  file: 'gateway.yaml',
  line: 2,
  column: 1,
  endColumn: 2,
  message,
});
const rejected = (overrides: Partial<RejectedReload> = {}): RejectedReload => ({
  kind: 'rejected',
  revision: 'aaa',
  diagnostics: [problem('unknown key "a"'), problem('never used', 'warning')],
  cause: undefined,
  stateDir: undefined,
  secrets: [],
  ...overrides,
});

beforeEach(() => {
  now = 1000;
  state = new ReloadState(() => now);
  state.firstLoadEnded('aaa', undefined, []);
});

describe('ReloadState', () => {
  it('is ok after the start, with the time of the last applied configuration', () => {
    expect(state.current(true)).toEqual({ state: 'ok', revision: 'aaa', loaded_at: iso(1000) });
    now = 2000;
    state.loadEnded({ ...unchanged, recovered: false } as ReloadResult, []);
    expect(state.current(true)).toMatchObject({ loaded_at: iso(1000) });
    state.loadEnded(appliedReload('bbb'), []);
    expect(state.current(true)).toEqual({ state: 'ok', revision: 'bbb', loaded_at: iso(2000) });
  });

  it('is failed since the first failure in a row, with the errors of the last one', () => {
    now = 2000;
    state.loadEnded(rejected(), []);
    now = 3000;
    state.loadEnded(rejected({ diagnostics: [problem('unknown key "b"'), problem('unknown key "c"')] }), []);
    expect(state.current(true)).toEqual({
      state: 'failed',
      revision: 'aaa',
      loaded_at: iso(1000),
      failed_since: iso(2000),
      errors: 2,
      why: ['gateway.yaml:2:1 error: unknown key "b"', 'gateway.yaml:2:1 error: unknown key "c"'],
    });
    state.loadEnded(unchanged, []);
    expect(state.current(true)).toMatchObject({ state: 'ok', loaded_at: iso(1000) });
    now = 4000;
    state.loadEnded(rejected(), []);
    expect(state.current(true)).toMatchObject({ failed_since: iso(4000) });
  });

  it('is failed after the start if a saved copy is used instead of the files', () => {
    const copy = new ReloadState(() => now);
    copy.firstLoadEnded('aaa', rejected({ diagnostics: [], cause: new Error('no such plugin') }), []);
    expect(copy.current(true)).toMatchObject({ state: 'failed', revision: 'aaa', errors: 0, why: ['no such plugin'] });
  });

  it('hides file names from unauthorized clients, hides secrets from everyone and limits its size', () => {
    const manyProblems = Array.from({ length: 50 }, (_, i) => problem(`"${'x'.repeat(1000)}" ${i}`));
    const secrets = ['hunter22-of-the-file'];
    const cause = new Error('refused: hunter22-of-the-file and hunter22-of-before');
    state.loadEnded(rejected({ diagnostics: manyProblems, cause, secrets }), ['hunter22-of-before']);
    const stateView = state.current(true);
    expect(stateView).toMatchObject({ errors: 50, why: { length: 6 } });
    expect(JSON.stringify(stateView)).not.toContain('hunter22');
    expect(JSON.stringify(stateView).length).toBeLessThan(2500);
    expect(state.current(false)).not.toHaveProperty('why');
    expect(JSON.stringify(state.current(false))).not.toContain('gateway.yaml');
  });
});
