import { providers, stages } from '../plugins/index.ts';
import { runCli } from './cli/index.ts';
import { processIo } from './cli/io.ts';

process.exit(await runCli(process.argv.slice(2), processIo(), { providers, stages }));
