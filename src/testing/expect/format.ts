/** Longest text of a value in a report, in characters. */
const maxLength = 200;

/** A value in one line, for people. */
export function formatValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' && value !== '' ? value.replaceAll(/\s+/g, ' ') : JSON.stringify(value);
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}

/** Attempts in the short form: `openai-main x4, azure-eu`. */
export function formatAttempts(slugs: readonly string[]): string {
  const runs: { slug: string; count: number }[] = [];
  for (const slug of slugs) {
    const last = runs.at(-1);
    if (last?.slug === slug) last.count += 1;
    else runs.push({ slug, count: 1 });
  }
  return runs.length === 0 ? 'none' : runs.map(({ slug, count }) => (count === 1 ? slug : `${slug} x${count}`)).join(', ');
}

/** The attempts that `openai-main x4` stands for. */
export function parseAttempts(text: string): readonly string[] {
  const [, slug = text, count] = /^(\S+) x(\d+)$/.exec(text) ?? [];
  return Array.from({ length: count === undefined ? 1 : Number(count) }, () => slug);
}
