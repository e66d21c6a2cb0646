import { runCli } from './cli/index.ts';
import { processIo } from './cli/io.ts';

const argv = process.argv.slice(2);

/** The probe of a container starts every few seconds, and knows no provider. */
const registry = argv[0] === 'health' ? { providers: [], stages: [] } : await import('../plugins/index.ts');

/** Who read the answer has enough of it; a gateway goes on serving when nothing can be written to its outputs. */
const onOutputFault = (error: NodeJS.ErrnoException): void => {
  if (argv[0] === 'start') return;
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
};
process.stdout.on('error', onOutputFault);
process.stderr.on('error', onOutputFault);

process.exit(await runCli(argv, processIo(), registry));
