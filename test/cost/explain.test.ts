import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ExplainFile, explainFile } from '../explain/file.ts';

/** The price of the input that `gateway explain` prints for each target. */

let file: ExplainFile;
beforeAll(async () => {
  file = await explainFile(
    `version: 1
providers:
  main: {type: openai, api_key: "\${env:KEY}"}
  own: {type: vllm, custom_host: "http://127.0.0.1:9/v1"}
configs:
  both: {strategy: {mode: fallback}, targets: [main/gpt-4o-mini, own/m, own/other]}
pricing:
  own/m: {input: 8, output: 1}
`,
    { KEY: 'sk-0123456789' },
  );
});
afterAll(() => file.close());

it('estimates the input cost of each target from its body, null if no price is known', async () => {
  const explanation = await file.explain(
    '--header',
    'x-gateway-config: both',
    '--body',
    JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(4000) }] }),
  );
  const [main, ownTarget, other] = explanation.targets;
  const tokens = (body: string | null | undefined): bigint => BigInt(Math.ceil((body ?? '').length / 4));
  // 0.15 and 8 dollars a million are 150,000 and 8,000,000 picodollars each.
  expect(pico(main?.cost_usd)).toBe(tokens(main?.body) * 150_000n);
  expect(pico(ownTarget?.cost_usd)).toBe(tokens(ownTarget?.body) * 8_000_000n);
  expect(other?.cost_usd).toBeNull();
});

const pico = (usd: string | null | undefined): bigint => {
  const [whole = '', fraction = ''] = (usd ?? '').split('.');
  return BigInt(whole + fraction.padEnd(12, '0'));
};
