import { expect, it } from 'vitest';
import { briefDiagnostics, type Diagnostic } from './diagnostic.ts';

const at = (severity: Diagnostic['severity'], line: number): Diagnostic => ({
  code: 'unknown-key',
  severity,
  file: 'gateway.yaml',
  line,
  column: 1,
  endColumn: 2,
  message: 'x',
});

it('lists errors before warnings, each by their position', () => {
  const shown = briefDiagnostics([at('warning', 1), at('error', 2), at('warning', 3), at('error', 4)]);
  expect(shown.map((text) => text.slice('gateway.yaml:'.length))).toEqual([
    '2:1 error: x',
    '4:1 error: x',
    '1:1 warning: x',
    '3:1 warning: x',
  ]);
});
