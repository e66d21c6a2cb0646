import { expect, it } from 'vitest';
import type { Diagnostic } from '../../config/report/diagnostic.ts';
import { createMask } from '../../core/secrets/mask.ts';
import { diagnosed } from './diagnostics.ts';

const problem = (severity: Diagnostic['severity'], line: number): Diagnostic => ({
  severity,
  code: severity === 'error' ? 'unknown-key' : 'never-used',
  message: 'about sk-secret-1234',
  file: 'gateway.yaml',
  line,
  column: 1,
  endColumn: 2,
});

it('shows an error after many warnings, and counts those it does not show', () => {
  const all = [...Array.from({ length: 60 }, (_, i) => problem('warning', i + 1)), problem('error', 61)];
  const { diagnostics, ...counts } = diagnosed(all, createMask(['sk-secret-1234']));
  expect(counts).toEqual({ errors: 1, warnings: 60 });
  expect(diagnostics).toHaveLength(50);
  expect(diagnostics.slice(0, 2)).toMatchObject([
    { level: 'error', line: 61 },
    { level: 'warning', line: 1 },
  ]);
  expect(JSON.stringify(diagnostics)).not.toContain('sk-secret');
});
