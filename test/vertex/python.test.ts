import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findPython } from '../support/python.ts';
import { type Rig, startRig } from './rig.ts';
import { lacking } from '../support/skipping.ts';

const python = findPython();
let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
  rig.cloud.jobs.advances = true;
});
afterAll(() => rig.close());

it.skipIf(lacking(python))('PyPI openai completes a batch and a tuning job', async () => {
  const command = 'python' in python ? python.python : '';
  const script = new URL('life.py', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(command, ['-B', script, `${rig.gateway.url}/v1`], {
    env: { PATH: process.env['PATH'] ?? '', NO_PROXY: '*', PYTHONUTF8: '1' },
  });
  expect(JSON.parse(stdout)).toEqual({
    file: ['batch', 'processed', true],
    statuses: ['validating', 'validating', 'in_progress', 'completed'],
    metadata: { team: 'Straße 7' },
    counts: [1, 1, 0],
    line: ['py-1', 'Hello'],
    cancelled: 'cancelling',
    refused: 'FAILED_PRECONDITION',
    batches: true,
    jobStatuses: ['queued', 'queued', 'running', 'succeeded'],
    model: 'endpoints.555',
    checkpoints: [30, 20, 10],
    events: 3,
    deleted: true,
  });
});
