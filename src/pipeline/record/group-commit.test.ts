import { expect, it } from 'vitest';
import { GroupCommit, type SealedRecord } from './group-commit.ts';

const sealed = {} as SealedRecord;
const boom = (): never => {
  throw new Error('boom');
};

it('lets the others end when the end of one throws', () => {
  const ended: string[] = [];
  const defects: unknown[] = [];
  const seal = new GroupCommit(
    () => {},
    (error) => defects.push(error),
  );
  seal.add(sealed, () => ended.push('a'));
  seal.add(sealed, boom);
  seal.add(sealed, () => ended.push('c'));
  seal.flush();
  expect([ended, defects.length]).toEqual([['a', 'c'], 1]);
});

it('lets all end when nothing can be written', () => {
  const ended: string[] = [];
  const defects: unknown[] = [];
  const seal = new GroupCommit(boom, (error) => defects.push(error));
  seal.add(sealed, () => ended.push('a'));
  seal.add(sealed, () => ended.push('b'));
  seal.flush();
  expect([ended, defects.length]).toEqual([['a', 'b'], 1]);
});
