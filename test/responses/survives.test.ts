import { describe, expect, it } from 'vitest';
import { cellOf } from '../client-formats/cell.ts';
import { columns, rows } from './survives.ts';

/** The table of the documentation page matches the behavior of the providers. */

describe.each(columns.map((column, at) => [column.title, column, at] as const))(
  '/v1/responses with the provider group %s',
  (_title, column, at) => {
    it.each(rows.map((row) => [row.name, row] as const))('behaves as documented for %s', (_name, row) => {
      expect(cellOf('responses', column, row, { input: 'Hi' })).toBe(row.cells[at]);
    });
  },
);
