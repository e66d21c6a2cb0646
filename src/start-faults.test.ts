import { describe, expect, it } from 'vitest';
import { exposureFault, listenFault } from './start-faults.ts';

describe('exposureFault', () => {
  const base = { listen: '0.0.0.0:8787', apiKeys: 0, isOpen: false, isTryOut: false };
  it.each([
    [{}, true],
    [{ listen: '[::]:8787' }, true],
    [{ listen: '10.0.0.7:8787' }, true],
    [{ listen: ':8787' }, true],
    [{ isTryOut: true }, true],
    [{ apiKeys: 1 }, false],
    [{ isOpen: true }, false],
    [{ listen: '127.0.0.1:8787' }, false],
    [{ listen: '[::1]:8787' }, false],
    [{ listen: 'localhost:8787' }, false],
    [{ listen: 'unix:/run/gw.sock' }, false],
  ])('judges %j', (over, refused) => {
    expect(exposureFault({ ...base, ...over })?.exitCode).toBe(refused ? 3 : undefined);
  });

  it('names the two ways out', () => {
    expect(exposureFault(base)?.hint).toMatch(/api_keys:[^]*server: \{open: true\}/);
  });
});

describe('listenFault', () => {
  it.each([
    ['EADDRINUSE', '1.2.3.4:1 is in use'],
    ['EACCES', '1.2.3.4:1 may not be opened by this user'],
    ['EADDRNOTAVAIL', '1.2.3.4:1 is no address of this machine'],
    ['EODD', "1.2.3.4:1 can't be opened: boom"],
  ])('explains %s', (code, message) => {
    const error = Object.assign(new Error('boom'), { code });
    expect(listenFault(error, '1.2.3.4:1', '--probe-listen')).toEqual({
      exitCode: 1,
      message,
      hint: 'Choose another address with --probe-listen.',
      cause: error,
    });
  });
});
