import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** The rules that look at colors: nothing else differs between the themes. */
const ofColors = ['color-contrast', 'link-in-text-block'];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** What keeps somebody from using the page as it is shown (WCAG 2.2 A and AA). */
export const barriersOf = (page: Page): Promise<string[]> => look(page, { type: 'tag', values: tags });

async function look(page: Page, runOnly: object): Promise<string[]> {
  // Through the debugger: the page's own policy lets no foreign script in.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe);
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] });
  const found = (await page.evaluate(`axe.run(document, ${options}).then((r) => r.violations)`)) as Violation[];
  return found.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`));
}

/** The same for both themes; the page is left in the dark one. */
export async function barriersInBothThemes(page: Page): Promise<Readonly<Record<'light' | 'dark', string[]>>> {
  const light = await barriersOf(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator(':root[data-scheme="dark"]').waitFor({ state: 'attached' });
  return { light, dark: await look(page, { type: 'rule', values: ofColors }) };
}

export const noBarriers = { light: [], dark: [] } as const;
