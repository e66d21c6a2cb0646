import { afterEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { readProjectFile } from './tree.ts';

/** The key whose hash the examples contain. */
const headers = { 'x-gateway-api-key': 'my-first-gateway-key' };
const env = {
  OPENAI_API_KEY: 'openai-key-0123456789',
  AZURE_API_KEY: 'azure-key-0123456789',
  ANTHROPIC_API_KEY: 'anthropic-key-0123456789',
};

let gateway: TestGateway | undefined;

afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

const block = (page: string, language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(readProjectFile(page))?.[1] ?? '';

async function modelsOf(at: TestGateway, more: Record<string, string> = {}): Promise<string[]> {
  const response = await fetch(`${at.url}/v1/models`, { headers: { ...headers, ...more } });
  const list = (await response.json()) as { data?: { id: string }[]; error?: { message: string } };
  return list.data?.map(({ id }) => id).sort() ?? [list.error?.message ?? ''];
}

describe('migration examples', () => {
  it('keep the model names of LiteLLM', async () => {
    gateway = await startTestGateway(block('docs/migrate-litellm.md', 'yaml'), { env });
    expect(await modelsOf(gateway)).toEqual(['claude', 'gpt-4o']);
  });

  it('keep the header names of Portkey and accept its JSON configs', async () => {
    gateway = await startTestGateway(block('docs/migrate-portkey.md', 'yaml'), { env });
    const named = await modelsOf(gateway);
    expect(named).toEqual(await modelsOf(gateway, { 'x-portkey-config': 'prod' }));
    expect(named).toEqual(
      await modelsOf(gateway, { 'x-portkey-config': JSON.stringify(JSON.parse(block('docs/migrate-portkey.md', 'json'))) }),
    );
    expect(await modelsOf(gateway, { 'x-portkey-config': 'absent' })).toEqual(['No config is named "absent".']);
  });
});
