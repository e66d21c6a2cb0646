import { expect, it } from 'vitest';
import { providers } from '../../../plugins/index.ts';
import { tryOutConfig } from './try-out.ts';

it('tryOutConfig() contains only the mock provider if the environment has no key', () => {
  for (const env of [{}, { OPENAI_API_KEY: '' }]) {
    expect(tryOutConfig(env, providers)).toEqual({
      text: 'version: 1\nproviders:\n  mock: {type: mock}\n',
      providers: [{ slug: 'mock', from: undefined }],
    });
  }
});

it('tryOutConfig() adds a provider that references a well-known environment variable', () => {
  expect(tryOutConfig({ OPENAI_API_KEY: 'sk-value', GROQ_API_KEY: 'gsk-value', HF_TOKEN: 'hf-value' }, providers)).toEqual({
    text: 'version: 1\nproviders:\n  mock: {type: mock}\n  openai: {"type":"openai","api_key":"${env:OPENAI_API_KEY}"}\n  groq: {"type":"groq","api_key":"${env:GROQ_API_KEY}"}\n',
    providers: [
      { slug: 'mock', from: undefined },
      { slug: 'openai', from: 'OPENAI_API_KEY' },
      { slug: 'groq', from: 'GROQ_API_KEY' },
    ],
  });
});
