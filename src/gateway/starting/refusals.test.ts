import { describe, expect, it } from 'vitest';
import { exposureFault } from './refusals.ts';

describe('exposureFault', () => {
  const base = { listen: '0.0.0.0:8787', hasKeys: false, hadKeys: false, isOpen: false, isTryOut: false };
  it.each([
    [{}, true],
    [{ listen: '[::]:8787' }, true],
    [{ listen: '10.0.0.7:8787' }, true],
    [{ listen: ':8787' }, true],
    [{ isTryOut: true }, true],
    [{ hasKeys: true }, false],
    [{ hasKeys: true, hadKeys: true }, false],
    [{ hadKeys: true, listen: '127.0.0.1:8787' }, true],
    [{ hadKeys: true, listen: 'unix:/run/gw.sock' }, true],
    [{ hadKeys: true, isOpen: true }, false],
    [{ isOpen: true }, false],
    [{ listen: '127.0.0.1:8787' }, false],
    [{ listen: '[::1]:8787' }, false],
    [{ listen: 'localhost:8787' }, false],
    [{ listen: 'unix:/run/gw.sock' }, false],
  ])('returns exit code 3 only if listening would expose the gateway without keys: %j', (settings, isRefused) => {
    expect(exposureFault({ ...base, ...settings })?.exitCode).toBe(isRefused ? 3 : undefined);
  });

  it('suggests in its hint to create a key or to set server.open', () => {
    expect(exposureFault(base)?.hint).toMatch(/gateway keys create[^]*server: \{open: true\}/);
  });
});
