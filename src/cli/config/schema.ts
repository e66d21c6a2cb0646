import { generateSchema } from '../../config/schema/generate.ts';
import type { Registry } from '../../gateway/types.ts';
import { exitCodes } from '../command.ts';
import type { CliIo } from '../io.ts';

/** `gateway config schema`: prints the JSON Schema of this version, the same as the file in the package. Returns the exit code. */
export async function printSchema({ stdout }: CliIo, { providers, stages }: Registry): Promise<number> {
  stdout.write(`${JSON.stringify(generateSchema(providers, stages), null, 2)}\n`);
  return exitCodes.yes;
}
