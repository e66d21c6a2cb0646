import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Page } from './page.ts';

const docs = new URL('../../docs/', import.meta.url);
const pages = readdirSync(new URL('recipes', docs)).map((file) => file.replace('.md', ''));

describe('docs/recipes.md', () => {
  it('links to each recipe', () => {
    const index = readFileSync(new URL('recipes.md', docs), 'utf8');
    const linked = [...index.matchAll(/\]\(recipes\/([\w-]+)\.md\)/g)].map(([, name]) => name);
    expect(new Set(linked)).toEqual(new Set(pages));
  });

  it.each(pages)('%s has a configuration, a command and a test that runs it', (name) => {
    const languages = new Page(name).blocks.map(({ language }) => language);
    expect(languages).toContain('yaml');
    expect(languages.some((language) => ['sh', 'python', 'js'].includes(language))).toBe(true);
    const tests = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.test.ts') || file === 'compatible.ts');
    const isCovered = tests.some((file) => new RegExp(`\\b${name}\\b`).test(readFileSync(new URL(file, import.meta.url), 'utf8')));
    expect(isCovered).toBe(true);
  });
});
