import { describe, expect, it } from 'vitest';
import { masked } from '../../../../test/support/redaction.ts';

/** Values that are masked are between ‹ and ›. */
const found: readonly string[] = [
  '&lt;password&gt;‹hunter›&lt;/password&gt;',
  '&lt;a&gt;&lt;api_key id=&quot;1&quot;&gt; ‹abc-def›\n&lt;/api_key&gt;&lt;/a&gt;',
  '&lt;x:Password&gt;‹hunter›&lt;/x:Password&gt;',
  '&lt;pass&gt;‹hunter›&lt;/pass&gt;',
];

const clean: readonly string[] = [
  '&lt;password&gt;&lt;min&gt;8&lt;/min&gt;&lt;/password&gt;',
  '&lt;password&gt;&lt;/password&gt;',
  '&lt;password&gt;your new one&lt;/password&gt;',
  '&lt;user&gt;hunter&lt;/user&gt;',
  '&lt;user&gt;hunter&lt;/password&gt;',
  'hunter&lt;/password&gt;',
  '&lt;pass&gt;true&lt;/pass&gt;',
  '&lt;password&gt;${env.PASSWORD}&lt;/password&gt;',
];

const marked = /‹([^›]*)›/g;
const nested = (text: string): object => ({ text: JSON.stringify({ text }) });

describe('elements of XML that is escaped', () => {
  it.each(found)('are masked in %j', (text) => {
    const [plain, expected] = [text.replaceAll(marked, '$1'), text.replaceAll(marked, '[secret]')];
    for (const write of [(inner: string) => ({ text: inner }), nested])
      expect(JSON.parse(masked(write(plain)).text)).toEqual(write(expected));
    expect(JSON.parse(masked({ text: expected }).text)).toEqual({ text: expected });
  });

  it.each(clean)('are not found in %j', (text) => {
    for (const write of [(inner: string) => ({ text: inner }), nested]) expect(JSON.parse(masked(write(text)).text)).toEqual(write(text));
  });

  it.each(['&lt;/password&gt;', '&lt;password&gt;', '&lt;/'])('are found in linear time in a text of 1 MB that repeats %j', (unit) => {
    const text = unit.repeat(Math.ceil((1 << 20) / unit.length));
    for (const body of [{ text }, text]) expect(masked(body, {}, 1 << 30).text.length).toBeGreaterThan(1 << 14);
  });
});
