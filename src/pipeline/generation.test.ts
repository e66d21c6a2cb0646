import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Plugin, PluginInstance } from '../core/plugin.ts';
import { makeSnapshot } from '../../test/support/stage-context.ts';
import { createGeneration, type Generation, type GenerationDeps } from './generation.ts';
import { SharedState } from './shared-state.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const deps = { host: { warn: () => {} }, monotonic: () => 0, mask: () => (bytes: Buffer) => bytes } as unknown as GenerationDeps;
const neverResolves = new Promise<never>(() => {});

function generationOf(plugins: Readonly<Record<string, () => PluginInstance | Promise<PluginInstance>>>): Promise<Generation> {
  const entries = Object.entries(plugins).map(([name, setup]) => ({ plugin: { name, options: {}, setup } as Plugin, options: {} }));
  return createGeneration(makeSnapshot(), entries, deps, new SharedState());
}

it('fails if the setup of a plugin does not end within 60 s, and disposes of the plugins before it', async () => {
  const dispose = vi.fn<() => void>();
  const pendingGeneration = generationOf({ one: () => ({ dispose }), two: () => neverResolves });
  const failed = pendingGeneration.catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  expect(await failed).toMatchObject({ message: 'plugin "two" could not be set up: its setup did not end within 60 s' });
  expect(dispose).toHaveBeenCalledOnce();
});

it('fails if a plugin cannot say whether it is needed, and disposes of the plugins before it', async () => {
  const dispose = vi.fn<() => void>();
  const neededFor = (): never => {
    throw new Error('boom');
  };
  const [one, two] = [{ setup: () => ({ dispose }) }, { setup: () => ({}), neededFor }];
  const entries = Object.entries({ one, two }).map(([name, plugin]) => ({ plugin: { name, options: {}, ...plugin }, options: {} }));
  const failed = createGeneration(makeSnapshot(), entries, deps, new SharedState());
  await expect(failed).rejects.toThrow('plugin "two" could not be set up: boom');
  expect(dispose).toHaveBeenCalledOnce();
});

it('disposes of a plugin whose setup ends after the timeout', async () => {
  const dispose = vi.fn<() => void>();
  const setup = async (): Promise<PluginInstance> => {
    await new Promise((resolve) => setTimeout(resolve, 70_000));
    return { dispose };
  };
  const failed = generationOf({ one: setup }).catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  expect(await failed).toBeInstanceOf(Error);
  expect(dispose).toHaveBeenCalledOnce();
});

it('reports a plugin whose dispose() does not end within 5 s, and disposes of the others', async () => {
  const dispose = vi.fn<() => void>();
  const generation = await generationOf({ one: () => ({ dispose }), two: () => ({ dispose: () => neverResolves }) });
  const failed = generation.dispose().catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  expect(await failed).toMatchObject({ message: 'plugin "two" did not shut down within 5 s' });
  expect(dispose).toHaveBeenCalledOnce();
});

it('gives the state of its plugins to another process', () => {
  const [here, there] = [new SharedState(), new SharedState()];
  const valuesOf = (state: SharedState, first: readonly number[]): number[] =>
    state.begin().get(
      'numbers',
      () => [...first],
      (values, message) => void values.push(Number(message)),
      (values) => values,
    );
  here.begin().get('nothing to hand over', () => 1);
  valuesOf(here, [1, 2]);
  const received = valuesOf(there, []);
  for (const { key, message } of here.catchUp()) there.receive(key, message);
  expect(received).toEqual([1, 2]);
});
