import { commandName, exitCodes } from './cli/command.ts';

const argv = process.argv.slice(2);
const command = commandName(argv);

/**
 * Loading the configuration takes the largest part of a start, so its process is started first and compiles its code in
 * parallel.
 */
const loader = command === 'start' ? (await import('./gateway/loading/open-loader.ts')).openLoader() : undefined;
loader?.prepare();

/** The health probe of a container runs every few seconds and needs no provider types: loading them takes most of the time. */
const registry = command === 'health' ? { providers: [], stages: [] } : await import('../plugins/index.ts');

const { runCli } = await import('./cli/index.ts');
const { processIo, flushed } = await import('./cli/io.ts');

/** Aborted when the reader of standard output has closed it. A gateway continues to serve without outputs. */
const stdoutClosed = new AbortController();
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (command === 'start') return;
  // The reader needs no more output. The command still runs to its end, for its exit code.
  if (error.code === 'EPIPE') {
    stdoutClosed.abort();
    return;
  }
  process.stderr.write(`error: the output cannot be written: ${error.message.replace(/^\w+: |, write$/g, '')}\n`);
  process.exit(1);
});
process.stderr.on('error', () => {});

const code = await runCli(
  argv,
  { ...processIo({ handlesErrors: command !== 'start' }), stdoutClosed: stdoutClosed.signal },
  registry,
  loader,
);
// process.exit discards output that a pipe has not accepted yet. `start` has already waited for its log lines, within its time
// limit. After Ctrl-C the reader may have stopped reading.
if (command !== 'start') {
  await Promise.all([code === exitCodes.interrupted ? undefined : flushed(process.stdout), flushed(process.stderr)]);
  // The error event of a failed write follows in the next turn.
  await new Promise((resolve) => setImmediate(resolve));
}
process.exit(code);
