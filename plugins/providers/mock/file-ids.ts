import { firstCreated, isText, isTime, madeId, partsOf } from './ids.ts';

/** What the id of a file says: the mock has the names of files, and none of their bytes. */
export interface MockFile {
  /** Unix seconds. */
  readonly createdAt: number;
  readonly purpose: string;
  readonly filename: string;
  readonly bytes: number;
  /** For the answers of a batch: the endpoint that they came from; '' otherwise. */
  readonly endpoint: string;
}

const prefix = 'file-';

/** Characters of a name that its id holds. */
const longestName = 200;

export const fileId = ({ createdAt, purpose, filename, bytes, endpoint }: MockFile): string =>
  madeId(prefix, [createdAt, purpose, Array.from(filename.toWellFormed()).slice(0, longestName).join(''), bytes, endpoint]);

/** The file that an id names, or undefined. */
export function fileNamed(id: string): MockFile | undefined {
  const parts = partsOf(prefix, id, isRight) as [number, string, string, number, string] | undefined;
  if (parts === undefined) return undefined;
  const [createdAt, purpose, filename, bytes, endpoint] = parts;
  return { createdAt, purpose, filename, bytes, endpoint };
}

const isRight = ([at, purpose, filename, bytes, endpoint, ...more]: readonly unknown[]): boolean =>
  isTime(at) &&
  isText(purpose) &&
  isText(filename) &&
  Number.isSafeInteger(bytes) &&
  Number(bytes) >= 0 &&
  isText(endpoint) &&
  more.length === 0;

/** A file that was there from the start, for lists and for objects that need one. */
export const givenFile = (purpose: string, filename: string, place = 0): MockFile => ({
  createdAt: firstCreated + place,
  purpose,
  filename,
  bytes: 120,
  endpoint: '',
});
