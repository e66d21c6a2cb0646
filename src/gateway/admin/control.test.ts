import { afterEach, expect, it, vi } from 'vitest';
import { type ControlDeps, Control } from './control.ts';

const written = { values: [], locations: { 'api_keys.first': { file: 'gateway.yaml', line: 3 } }, references: {} };

/** A gateway whose files are located when the test ends the load. */
function createControl() {
  const loads: { readonly end: () => void; readonly fail: () => void }[] = [];
  const locate = (): Promise<unknown> =>
    new Promise((resolve, reject) => loads.push({ end: () => resolve(written), fail: () => reject(new Error('too slow')) }));
  const loaded = { texts: {}, revision: 'abc' };
  const reloader = { locate, serving: undefined };
  const deps = {
    options: { source: { text: '', name: 'x' }, cwd: '/' },
    reloader: () => reloader,
    loaded: () => loaded,
    now: () => 0,
    monotonic: () => 0,
  };
  return { control: new Control(deps as unknown as ControlDeps), loads };
}

afterEach(() => vi.useRealTimers());

it('locates values in the files once for calls at the same time, and again after a failure', async () => {
  const { control, loads } = createControl();
  const both = [control.written(), control.written()];
  expect(loads).toHaveLength(1);
  loads[0]?.fail();
  await expect(both[0]).rejects.toMatchObject({ code: 'overloaded' });
  await expect(both[1]).rejects.toMatchObject({ code: 'overloaded' });
  const again = control.written();
  loads[1]?.end();
  expect([await again, await control.written(), loads.length]).toEqual([written, written, 2]);
});

it('returns no source positions for a list if finding them takes long or fails', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { control, loads } = createControl();
  const results: unknown[] = [];
  const ask = (): void => void control.locations(500).then((locations) => results.push(locations));
  ask();
  await vi.advanceTimersByTimeAsync(1000);
  ask();
  loads[0]?.fail();
  await vi.advanceTimersByTimeAsync(0);
  ask();
  loads[1]?.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(results).toEqual([{}, {}, written.locations]);
});
