import { compileConfig } from '../../config/compile/index.ts';
import type { Provider } from '../../core/provider.ts';
import { createMask } from '../../core/secrets/mask.ts';
import { didYouMean } from '../../core/text/nearest.ts';
import { withoutAt } from '../../core/model/model-name.ts';
import type { Registry } from '../../gateway/types.ts';
import { createPriceBook } from '../../pricing/book.ts';
import { CommandError, type CommonFlags, exitCodes, sameFile } from '../command.ts';
import { type CliIo, terminalWidth } from '../io.ts';
import { importPlugin, loadTree, nameFile } from '../load.ts';
import { typesOf, unsigned } from '../providers/catalog.ts';
import { jsonText } from '../text.ts';
import { type ModelRow, modelRows } from './rows.ts';
import { modelsText } from './text.ts';

export interface ModelsFlags extends CommonFlags {
  readonly provider?: string | undefined;
}

/**
 * `gateway models`: lists the model names that clients can send, with context length and price as far as they are known,
 * offline. Returns the exit code.
 */
export async function listModels(flags: ModelsFlags, io: CliIo, registry: Registry): Promise<number> {
  const { loaded, tree } = await loadTree(flags, io, registry, nameFile);
  const external = await Promise.all(loaded.providerPaths.map(async (path) => (await importPlugin(path)) as Provider));
  const providers = typesOf([...registry.providers, ...external]);
  const snapshot = compileConfig({ ...loaded, tree }, { providers, credential: unsigned, prices: createPriceBook });
  const rows = ofProvider(modelRows({ snapshot, tree, missing: loaded.missing, at: Date.now() }), flags.provider, [
    ...snapshot.providers.keys(),
  ]);
  const mask = createMask(loaded.secrets);
  if (flags.json === true) io.stdout.write(mask.text(jsonText(rows)));
  else if (rows.length > 0) io.stdout.write(modelsText(rows, mask, terminalWidth(io.stdout)));
  if (rows.length > 0) return exitCodes.yes;
  io.stderr.write(
    flags.provider === undefined
      ? `no providers; write one with: ${sameFile('gateway providers add TYPE', flags)}\n`
      : `the configuration lets "${flags.provider}" serve no model\n`,
  );
  return flags.provider === undefined ? exitCodes.yes : exitCodes.no;
}

/** @throws CommandError that lists the known names */
function ofProvider(rows: readonly ModelRow[], wanted: string | undefined, known: readonly string[]): readonly ModelRow[] {
  if (wanted === undefined) return rows;
  const slug = withoutAt(wanted);
  if (known.includes(slug)) return rows.filter(({ provider }) => provider === slug);
  const available = `Available: ${known.join(', ') || 'none'}`;
  throw new CommandError(exitCodes.no, `no provider or virtual key called "${wanted}".${didYouMean(slug, known)}`, available);
}
