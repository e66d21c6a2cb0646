import { describe, expect, it } from 'vitest';
import { masked } from './redaction.ts';

/** The data that tests what finds one kind of secrets in texts. */
interface FinderCases {
  /** Values that are masked are between ‹ and ›. */
  readonly found: readonly string[];
  /** Texts in which nothing is found. */
  readonly clean: readonly string[];
  /** Texts that are repeated up to 1 MB. */
  readonly repeated: readonly string[];
}

const marked = /‹([^›]*)›/g;

/** Ways to write a text in a body: as a member, and in JSON inside a member. */
const ways: readonly ((text: string) => object)[] = [(text) => ({ text }), (text) => ({ text: JSON.stringify({ text }) })];

const maskedBody = (body: object): unknown => JSON.parse(masked(body).text);

/** @param title what is found, as the subject of sentences */
export function describeFinder(title: string, { found, clean, repeated }: FinderCases): void {
  describe(title, () => {
    it.each(found)('are masked in %j', (text) => {
      const [plain, expected] = [text.replaceAll(marked, '$1'), text.replaceAll(marked, '[secret]')];
      for (const write of ways) expect(maskedBody(write(plain))).toEqual(write(expected));
      expect(maskedBody({ text: expected })).toEqual({ text: expected });
    });

    it.each(clean)('are not found in %j', (text) => {
      for (const write of ways) expect(maskedBody(write(text))).toEqual(write(text));
    });

    it.each(repeated)('are found in linear time in a text of 1 MB that repeats %j', (unit) => {
      const text = unit.repeat(Math.ceil((1 << 20) / unit.length));
      for (const body of [{ text }, text]) expect(masked(body, {}, 1 << 30).text.length).toBeGreaterThan(1 << 14);
    });
  });
}
