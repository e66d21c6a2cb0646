import { providers, stages } from '../plugins/index.ts';
import { runCli } from './cli/index.ts';
import { processIo } from './cli/io.ts';

const argv = process.argv.slice(2);

/** Who read the answer has enough of it; a gateway goes on serving when nobody reads its log. */
const readerLeft = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EPIPE') throw error;
  if (argv[0] !== 'start') process.exit(0);
};
process.stdout.on('error', readerLeft);
process.stderr.on('error', readerLeft);

process.exit(await runCli(argv, processIo(), { providers, stages }));
