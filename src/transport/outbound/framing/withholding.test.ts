import { expect, it } from 'vitest';
import { SseScanner } from './sse.ts';
import { WithholdingScanner } from './withholding.ts';

const stream = ': ping\n\ndata: a\n\ndata: secret 1\n\nevent: x\r\ndata: b é\r\n\r\ndata: secret 2\n\ndata: secret 3\n\ndata: [DONE]\n\n';
const rest = ': ping\n\ndata: a\n\nevent: x\r\ndata: b é\r\n\r\ndata: [DONE]\n\n';

const lines = (text: string): string => text.replaceAll(/\r\n?/g, '\n');

it('removes the withheld events, wherever the bytes are cut, and keeps the offsets of the others', () => {
  const bytes = Buffer.from(stream);
  for (let first = 0; first <= bytes.length; first += 1) {
    for (const second of [first, Math.min(first + 1, bytes.length), Math.min(first + 20, bytes.length)]) {
      const withheld: string[] = [];
      const scanner = new WithholdingScanner(new SseScanner(), ({ data }) => data.startsWith('secret') && withheld.push(data) > 0);
      const pieces = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
      const found = [...pieces.map((piece) => scanner.push(piece)), scanner.end()];
      // The LF of a line break that is cut after its CR belongs to the next event.
      expect(lines(Buffer.concat(found.map((each) => each.bytes)).toString())).toBe(lines(rest));
      expect(withheld).toEqual(['secret 1', 'secret 2', 'secret 3']);
      const texts = found.flatMap((each) => each.events.map(({ data, start, end }) => [data, each.bytes.toString('utf8', start, end)]));
      expect(texts.map(([data]) => data)).toEqual(['a', 'b é', '[DONE]']);
      for (const [data = '', text = ''] of texts) expect(text).toContain(`data: ${data}`);
    }
  }
});
