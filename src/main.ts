const argv = process.argv.slice(2);

/** The first load takes longest of a start: the process that does it compiles its code while this one compiles its own. */
const loader = argv[0] === 'start' ? (await import('./gateway/loading/open-loader.ts')).openLoader() : undefined;
loader?.prepare();

/** The probe of a container starts every few seconds, and knows no provider. */
const registry = argv[0] === 'health' ? { providers: [], stages: [] } : await import('../plugins/index.ts');

const { runCli } = await import('./cli/index.ts');
const { processIo, written } = await import('./cli/io.ts');

/** A gateway goes on serving when nothing can be written to its outputs. */
const unread = new AbortController();
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (argv[0] === 'start') return;
  // Who read the output has enough of it, and may still want to know how the command ends.
  if (error.code === 'EPIPE') {
    unread.abort();
    return;
  }
  process.stderr.write(`error: the output cannot be written: ${error.message.replace(/^\w+: |, write$/g, '')}\n`);
  process.exit(1);
});
process.stderr.on('error', () => {});

const code = await runCli(argv, { ...processIo(), unread: unread.signal }, registry, loader);
// An exit throws away what a pipe has not taken yet. A gateway that ends has waited for its log lines, and for as long as it may.
if (argv[0] !== 'start') {
  await Promise.all([written(process.stdout), written(process.stderr)]);
  // A write that failed tells so in the next turn.
  await new Promise((resolve) => setImmediate(resolve));
}
process.exit(code);
