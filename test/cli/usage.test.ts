import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { run } from './run.ts';

const cwd = mkdtempSync(join(tmpdir(), 'cli-'));
afterAll(() => rmSync(cwd, { recursive: true }));

describe('wrong usage', () => {
  it.each([
    [['strat'], /unknown command 'strat'\n\(Did you mean start\?\)/],
    [['chekc'], /unknown command 'chekc'\n\(Did you mean check\?\)/],
    [['start', '--lisen', 'x'], /unknown option '--lisen'\n\(Did you mean --listen\?\)/],
    [['start', '--log-level', 'loud'], /'loud' is invalid. Allowed choices are debug, info, warn, error/],
    [['start', 'what'], /too many arguments/],
    [['start', '--listen'], /argument missing/],
    [['help', 'nothing'], /no help about "nothing"; there is: config, secrets, errors, signals/],
    [[], /Examples:\n/],
  ])('%j ends with 2 and says so on stderr', async (args, message) => {
    const { code, out, err } = await run(args, cwd);
    expect(err).toMatch(message);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });
});

describe('answers', () => {
  it.each([
    [['-h'], /^Examples:\n {2}\$ gateway start\n[^]*Commands:\n {2}start /],
    [['help'], /^Examples:\n/],
    [['start', '-h'], /^Examples:\n {2}\$ gateway start\n[^]*--allow-missing-secrets/],
    [['help', 'check'], /^Examples:\n {2}\$ gateway check\n[^]*--strict/],
    [['help', 'config'], /\$GATEWAY_CONFIG, \.\/gateway\.yaml/],
    [['help', 'secrets'], /\$\{env:NAME\}/],
    [['help', 'errors'], /all_targets_failed +502/],
    [['help', 'signals'], /SIGHUP/],
    [['version'], new RegExp(`^${manifest.version}\n$`)],
    [['--version'], new RegExp(`^${manifest.version}\n$`)],
  ])('%j ends with 0 and goes to stdout', async (args, answer) => {
    const { code, out, err } = await run(args, cwd);
    expect(out).toMatch(answer);
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });
});
