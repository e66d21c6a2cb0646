import { describe, expect, it } from 'vitest';
import { providers } from '../../plugins/index.ts';
import { costOf } from '../../src/core/cost/cost.ts';
import { createPriceBook } from '../../src/pricing/book.ts';
import { librarySource } from '../../src/pricing/library.ts';
import { readProjectFile } from '../repo/tree.ts';
import { pricesOfFile, type Shape, shapes, usageOf } from './shapes.ts';

const rows = shapes();
const book = createPriceBook(pricesOfFile());

const pricesOf = ({ type }: Shape) => providers.find((provider) => provider.type === type)?.entry.prices;

function costOfShape(shape: Shape) {
  const price = book.priceOf(
    {
      slug: shape.slug ?? shape.type,
      type: shape.type,
      listed: pricesOf(shape),
      model: shape.asked ?? shape.model,
      sent: shape.model,
      foundation: shape.foundation,
      answered: shape.answered,
    },
    Date.parse(shape.at ?? '2026-11-22T12:00:00Z'),
  );
  return costOf(usageOf(shape), price);
}

/** Only the listed prices, without those of the configuration. */
const listed = createPriceBook([]);

describe('cost of usage', () => {
  it.each(rows.map((row, index) => [`${index} ${row.slug ?? row.type} ${row.model} ${row.note ?? ''}`, row] as const))(
    '%s',
    (_name, row) => {
      const ofFile = row.slug !== undefined;
      const { usd } = ofFile ? costOfShape(row) : costListed(row);
      expect(usd, row.sum).toBe(row.usd);
    },
  );

  it('has enough rows, and some for every provider type', () => {
    expect(rows.length).toBeGreaterThanOrEqual(120);
    const types = new Set(rows.map(({ type }) => type));
    expect(providers.map(({ type }) => type).filter((type) => !types.has(type))).toEqual([]);
  });

  it('docs/costs.md lists all provider types with prices', () => {
    const [, types = ''] = /It covers (.*?)\. The gateway adds/.exec(readProjectFile('docs/costs.md')) ?? [];
    const documented = [...types.matchAll(/`([^`]+)`/g)].map(([, type]) => type);
    const listed = providers.filter(({ entry: { prices } }) => prices !== undefined && prices !== 'none').map(({ type }) => type);
    expect(new Set(documented)).toEqual(new Set(listed));
  });

  it('reports the source of a price and the applied prices', () => {
    expect(costListed(rows.find(({ type }) => type === 'openai') as Shape)).toMatchObject({
      source: librarySource,
      prices: { input: '0.15', cached_input: '0.075', output: '0.6' },
    });
    expect(costOfShape(rows.find(({ slug }) => slug === 'azure-eu') as Shape)).toMatchObject({
      source: 'pricing: azure-eu/gpt-4o-mini (contract 4711, 2026-05-01)',
      prices: { input: '0.15', output: '0.66' },
    });
  });
});

function costListed(shape: Shape) {
  const { type, model, foundation, answered } = shape;
  const price = listed.priceOf(
    { slug: type, type, listed: pricesOf(shape), model: shape.asked ?? model, sent: model, foundation, answered },
    Date.parse(shape.at ?? '2026-11-22T12:00:00Z'),
  );
  return costOf(usageOf(shape), price);
}
