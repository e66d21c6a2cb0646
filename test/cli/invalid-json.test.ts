import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runHere } from './in-process.ts';

const cwd = mkdtempSync(join(tmpdir(), 'cli-json-'));
beforeAll(() => {
  writeFileSync(join(cwd, 'gateway.yaml'), 'version: 1\nproviders:\n  mock: {type: mock, colour: red}\n');
  writeFileSync(join(cwd, 'syntax.yaml'), 'version: 1\nproviders: {mock: [\n');
});
afterAll(() => rmSync(cwd, { recursive: true }));

describe('--json and an invalid configuration', () => {
  it.each([
    [['check'], 'unknown-key'],
    [['config', 'show'], 'unknown-key'],
    [['explain', '--model', '@mock/echo'], 'unknown-key'],
    [['test'], 'unknown-key'],
    [['models'], 'unknown-key'],
    [['prompts', 'list'], 'unknown-key'],
    [['providers', 'list'], 'unknown-key'],
    [['providers', 'test'], 'unknown-key'],
    [['fmt', 'syntax.yaml'], 'yaml-syntax'],
  ])('%j prints one document with the errors, and exits with 3', async (args, problem) => {
    const { code, out } = await runHere([...args, '--json'], cwd);
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ ok: false, diagnostics: [{ code: problem, severity: 'error', line: 3 }] });
  });
});
