/** Name of the bucket of all values that a day does not count by name. */
export const restBucket = 'other';

const escape = '~';

/** Name of the bucket of a value: the value itself, unless it could be taken for the rest. `''` is no value. */
export function bucketOf(value: string): string {
  return value.endsWith(restBucket) && isEscaped(value) ? `${escape}${value}` : value;
}

/** The value of a bucket other than the rest. */
export function valueOf(bucket: string): string {
  return bucket.endsWith(restBucket) && isEscaped(bucket) ? bucket.slice(1) : bucket;
}

/** The value of a bucket as an SQL expression, in rows without the rest. */
export function valueSql(column: string): string {
  return `CASE WHEN ltrim(${column}, '${escape}') = '${restBucket}' THEN substr(${column}, 2) ELSE ${column} END`;
}

/** True for the name of the rest behind any number of escapes. */
function isEscaped(text: string): boolean {
  for (let i = 0; i < text.length - restBucket.length; i++) if (text[i] !== escape) return false;
  return true;
}
