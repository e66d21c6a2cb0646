import { readFileSync } from 'node:fs';

/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

/** A page of `docs/recipes` with the blocks that a reader copies. */
export class Page {
  readonly text: string;
  readonly blocks: readonly Block[];
  private readonly name: string;

  constructor(name: string) {
    this.name = name;
    this.text = readFileSync(new URL(`../../docs/recipes/${name}.md`, import.meta.url), 'utf8');
    this.blocks = [...this.text.matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm)].map(([, language = '', block = '']) => ({
      language,
      text: block,
    }));
  }

  /** The text of a block. @param nth among those of the same language, from 0 */
  block(language: string, nth = 0): string {
    const found = this.blocks.filter((block) => block.language === language)[nth];
    if (found === undefined) throw new Error(`docs/recipes/${this.name}.md has no block ${nth} in ${language}`);
    return found.text;
  }
}
