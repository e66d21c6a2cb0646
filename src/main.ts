const argv = process.argv.slice(2);

/** The first load takes longest of a start: the process that does it compiles its code while this one compiles its own. */
const loader = argv[0] === 'start' ? (await import('./gateway/loading/open-loader.ts')).openLoader() : undefined;
loader?.prepare();

/** The probe of a container starts every few seconds, and knows no provider. */
const registry = argv[0] === 'health' ? { providers: [], stages: [] } : await import('../plugins/index.ts');

const { runCli } = await import('./cli/index.ts');
const { processIo, written } = await import('./cli/io.ts');

/** Who read the answer has enough of it; a gateway goes on serving when nothing can be written to its outputs. */
const onOutputFault = (error: NodeJS.ErrnoException): void => {
  if (argv[0] !== 'start' && error.code === 'EPIPE') process.exit(0);
};
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  onOutputFault(error);
  if (argv[0] === 'start') return;
  process.stderr.write(`error: the output cannot be written: ${error.message.replace(/^\w+: |, write$/g, '')}\n`);
  process.exit(1);
});
process.stderr.on('error', onOutputFault);

const code = await runCli(argv, processIo(), registry, loader);
// An exit throws away what a pipe has not taken yet. A gateway that ends has waited for its log lines, and for as long as it may.
if (argv[0] !== 'start') {
  await Promise.all([written(process.stdout), written(process.stderr)]);
  // A write that failed tells so in the next turn.
  await new Promise((resolve) => setImmediate(resolve));
}
process.exit(code);
