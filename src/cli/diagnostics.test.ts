import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../config/report/diagnostic.ts';
import { countDiagnostics, githubDiagnostics, prettyDiagnostics, shortDiagnostics } from './diagnostics.ts';

const unknownKey: Diagnostic = {
  code: 'unknown-key',
  severity: 'error',
  file: 'configs/support.yaml',
  line: 9,
  column: 9,
  endColumn: 15,
  message: 'unknown key "retrys"',
  hint: 'did you mean "retry"?',
  note: 'configs.support.targets[0] accepts: provider, virtual_key, retry, cache, weight, override_params, …',
  docs: 'docs/configuration.md#configs',
  frame: { first: 8, lines: ['      - provider: openai-main', '        retrys: {attempts: 3}'] },
};

const azure: Diagnostic = {
  code: 'unknown-reference',
  severity: 'error',
  file: 'configs/support.yaml',
  line: 11,
  column: 19,
  endColumn: 27,
  message: 'no provider called "azure-ue"',
  hint: 'did you mean "azure-eu" (gateway.yaml:22)?',
  frame: { first: 11, lines: ['      - provider: azure-ue'] },
};

const simpleDiagnostic: Diagnostic = {
  code: 'plain-secret',
  severity: 'warning',
  file: 'gateway.yaml',
  line: 27,
  column: 14,
  endColumn: 30,
  message: 'the key is written in the file',
  hint: 'use ${env:NAME} or ${file:/run/secrets/name}; the value is not shown here',
};

const prettyText = `\
error: unknown key "retrys"                                             [unknown-key]
  --> configs/support.yaml:9:9
   |
 8 |       - provider: openai-main
 9 |         retrys: {attempts: 3}
   |         ^^^^^^ did you mean "retry"?
   |
   = configs.support.targets[0] accepts: provider, virtual_key, retry, cache, weight, override_params, … (docs/configuration.md#configs)

error: no provider called "azure-ue"                                    [unknown-reference]
  --> configs/support.yaml:11:19
   |
11 |       - provider: azure-ue
   |                   ^^^^^^^^ did you mean "azure-eu" (gateway.yaml:22)?

warning: the key is written in the file                                 [plain-secret]
  --> gateway.yaml:27:14   use \${env:NAME} or \${file:/run/secrets/name}; the value is not shown here`;

describe('prettyDiagnostics()', () => {
  it('prints a frame, a caret and the hint', () => {
    expect(prettyDiagnostics([unknownKey, azure, simpleDiagnostic], { colors: false })).toBe(prettyText);
  });

  it('aligns long line numbers', () => {
    const lateLine = { ...azure, line: 1204, frame: { first: 1204, lines: ['      - provider: azure-ue'] } };
    expect(prettyDiagnostics([lateLine], { colors: false })).toBe(`\
error: no provider called "azure-ue"                                    [unknown-reference]
    --> configs/support.yaml:1204:19
     |
1204 |       - provider: azure-ue
     |                   ^^^^^^^^ did you mean "azure-eu" (gateway.yaml:22)?`);
  });

  it('separates a long message from its code', () => {
    const [heading] = prettyDiagnostics([{ ...simpleDiagnostic, message: 'x'.repeat(80) }], { colors: false }).split('\n');
    expect(heading).toBe(`warning: ${'x'.repeat(80)}  [plain-secret]`);
  });

  it('colors severity and caret only if colors are enabled, and changes no text', () => {
    const coloured = prettyDiagnostics([unknownKey, simpleDiagnostic], { colors: true });
    expect(coloured).toContain('\u001b[1m\u001b[31merror\u001b[39m\u001b[22m: unknown key');
    expect(coloured).toContain('\u001b[1m\u001b[33mwarning\u001b[39m\u001b[22m: the key');
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(prettyDiagnostics([unknownKey, simpleDiagnostic], { colors: false }));
  });

  it('shows at most 50 problems and counts the rest', () => {
    const manyDiagnostics = Array.from({ length: 53 }, (_, i) => ({ ...simpleDiagnostic, line: i + 1 }));
    const lines = prettyDiagnostics(manyDiagnostics, { colors: false }).split('\n\n');
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toBe('… and 3 warnings more');
    expect(shortDiagnostics(manyDiagnostics).split('\n')).toHaveLength(51);
  });

  it('shows errors before warnings if not all are shown', () => {
    const warnings = Array.from({ length: 60 }, (_, i) => ({ ...simpleDiagnostic, line: i + 1 }));
    const many = [...warnings, unknownKey];
    const lines = shortDiagnostics(many).split('\n');
    expect([lines[0], lines.at(-1)]).toEqual([shortDiagnostics([unknownKey]), '… and 11 warnings more']);
    expect(prettyDiagnostics(many, { colors: false })).toContain(unknownKey.message);
    expect(githubDiagnostics(many)).toContain('::error');
  });

  it('prints no control character of a file', () => {
    const hostileDiagnostic = {
      ...azure,
      file: 'a\u001b[2J\n::error::.yaml',
      message: 'no provider called "\u001b[2J"',
      frame: { first: 11, lines: ['\u001b]0;x\u0007 provider: y'] },
    };
    for (const text of [prettyDiagnostics([hostileDiagnostic], { colors: false }), shortDiagnostics([hostileDiagnostic])]) {
      expect(text).not.toContain('\u001b');
      expect(text).not.toMatch(/^::error/m);
    }
  });
});

describe('diagnostics for other programs', () => {
  it('have one line per problem in shortDiagnostics()', () => {
    expect(shortDiagnostics([azure, simpleDiagnostic])).toBe(
      'configs/support.yaml:11:19: error: no provider called "azure-ue" [unknown-reference]\n' +
        'gateway.yaml:27:14: warning: the key is written in the file [plain-secret]',
    );
  });

  it('are escaped in githubDiagnostics()', () => {
    const oddDiagnostic = { ...azure, file: 'a,b:c.yaml', message: '100% wrong\nhere', hint: 'x' };
    expect(githubDiagnostics([oddDiagnostic])).toBe(
      '::error file=a%2Cb%3Ac.yaml,line=11,endLine=11,col=19,endColumn=27,title=unknown-reference::100%25 wrong%0Ahere: x',
    );
  });

  it.each([
    [[unknownKey, azure, simpleDiagnostic], '2 errors, 1 warning'],
    [[simpleDiagnostic, simpleDiagnostic], '2 warnings'],
    [[unknownKey], '1 error'],
    [[], ''],
  ] as const)('are counted in row %#', (diagnostics, text) => {
    expect(countDiagnostics(diagnostics)).toBe(text);
  });
});
