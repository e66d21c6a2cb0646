import type { Mask } from '../../core/secrets/mask.ts';
import { fittingTable } from '../fitting-table.ts';
import type { ModelRow } from './rows.ts';

/**
 * One table of the names with a slug, and one of the names that a config accepts.
 * @param width columns of the terminal; undefined for unlimited width
 */
export function modelsText(rows: readonly ModelRow[], mask: Mask, width: number | undefined): string {
  const named = rows.filter(({ config }) => config === null);
  const ofConfigs = rows.filter(({ config }) => config !== null);
  const tables = [
    ...(named.length === 0 ? [] : [[['MODEL', 'SENT AS', ...figures], ...named.map(namedRow)]]),
    ...(ofConfigs.length === 0 ? [] : [[['CONFIG', 'MODEL', 'SERVED BY', ...figures], ...ofConfigs.map(configRow)]]),
  ];
  return tables
    .map((one) =>
      fittingTable(
        one.map((cells) => cells.map(mask.text)),
        {
          gap: '   ',
          width,
          removable: ['CONTEXT', 'SENT AS', 'OUTPUT $/M', 'INPUT $/M', 'SERVED BY'],
          flexible: ['SENT AS', 'SERVED BY', 'STATE'],
        },
      ),
    )
    .join('\n');
}

/** Prices of tokens are in USD per million. */
const figures = ['CONTEXT', 'INPUT $/M', 'OUTPUT $/M', 'STATE'];

const figuresOf = ({ context_length: context, price, state, why }: ModelRow): string[] => [
  context === null ? '-' : String(context),
  price?.['input'] ?? '-',
  price?.['output'] ?? '-',
  why === null ? state : `${state}: ${why}`,
];

const namedRow = (row: ModelRow): string[] => [row.model, sentAs(row), ...figuresOf(row)];

function configRow(row: ModelRow): string[] {
  const { config, model, provider } = row;
  return [config ?? '', model, provider === null ? '-' : `${provider}/${sentAs(row)}`, ...figuresOf(row)];
}

const sentAs = ({ upstream_model: sent, foundation_model: foundation }: ModelRow): string =>
  sent === null ? '-' : foundation === null || foundation === sent ? sent : `${sent} (${foundation})`;
