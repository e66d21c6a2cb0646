import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';

const entry = new URL('../../src/cli/start/serving-worker.js', import.meta.url);

it('a worker that responds while its supervisor disconnects exits without an error', async () => {
  const worker = fork(entry, {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: ['--conditions=llm-gateway-source'],
  });
  let errors = '';
  worker.stderr?.on('data', (piece: Buffer) => (errors += piece.toString()));
  worker.send({ name: 'beat', id: 1 });
  await once(worker, 'message');
  for (let id = 2; id < 400; id += 1) worker.send({ name: 'beat', value: undefined, id });
  worker.disconnect();
  const [code] = await once(worker, 'exit');
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
});
