import { expect, it } from 'vitest';
import type { ExplainedTarget } from '../../core/logs/explanation.ts';
import { placeholders } from '../../explain/dry-run/references.ts';
import { curlText } from './curl.ts';

it.each(Object.values(placeholders))('the credential %s becomes a shell variable, and no other text does', (text) => {
  const headers = [
    ['authorization', `Bearer ${text}`],
    ['x-own', text],
  ];
  const target = { method: 'GET', url: 'https://a.test/', headers, credential_headers: ['authorization'], body: null };
  expect(curlText(target as unknown as ExplainedTarget)).toBe(
    `curl -X GET 'https://a.test/' \\\n  -H 'authorization: Bearer '"$CREDENTIAL" \\\n  -H 'x-own: ${text}'\n`,
  );
});
