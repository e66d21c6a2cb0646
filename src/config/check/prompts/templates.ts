import { nearest } from '../../../core/text/nearest.ts';
import { choosePrompt, splitReference, type StoredPrompt } from '../../../core/model/prompt.ts';
import { lowerFirst, withoutFullStop } from '../../../core/text/wording.ts';
import { child, entriesOf, type SourceLocation, type ScalarNode } from '../../read/node.ts';
import { locationText } from '../../report/problem.ts';
import { isTemplate, maxNesting, parseTemplate, type Piece, TemplateFault } from '../../validate/template.ts';
import { type CheckContext, entryOf, valueOf } from '../context.ts';
import { insertedTexts, membersOf, messageTexts, locationIn, type PromptSite } from './sites.ts';

type PromptsById = ReadonlyMap<string, StoredPrompt<PromptSite>>;

/** A name that a template reads. */
interface VariableRead {
  readonly name: string;
  readonly at: SourceLocation;
  /** True inside a section, where the name may be a member of the section's value. */
  readonly inSection: boolean;
}

/** Checks every template: it parses, its partials exist and do not recurse, its variables are declared. */
export function checkTemplates(sites: readonly PromptSite[], known: PromptsById, context: CheckContext): void {
  const reported: Reported = { faults: new Set(), cycles: new Set(), nested: new Set() };
  for (const site of sites) new TemplateCheck(site, known, context, reported).run();
}

/** Problems already reported. A partial is parsed once for each prompt that inserts it, and a cycle is found from each prompt in it. */
interface Reported {
  readonly faults: Set<ScalarNode>;
  readonly cycles: Set<string>;
  /** Partials that are nested too deeply. */
  readonly nested: Set<string>;
}

/** Check of one version and of all that it inserts. */
class TemplateCheck {
  readonly #site: PromptSite;
  readonly #known: PromptsById;
  readonly #context: CheckContext;
  readonly #reported: Reported;
  readonly #reads: VariableRead[] = [];
  readonly #declared = new Map<string, SourceLocation>();
  readonly #usedPartials = new Set<string>();
  readonly #visited = new Set<string>();
  #isConclusive = true;

  constructor(site: PromptSite, known: PromptsById, context: CheckContext, reported: Reported) {
    this.#site = site;
    this.#known = known;
    this.#context = context;
    this.#reported = reported;
  }

  run(): void {
    this.#declare(this.#site);
    for (const node of messageTexts(this.#site)) this.#visitText(node, this.#site, [promptKey(this.#site)], false);
    for (const { key, keyAt, value } of entriesOf(child(this.#site.node, 'partials'))) {
      if (value.kind === 'scalar' && !this.#usedPartials.has(key)) this.#parse(value);
      if (this.#usedPartials.has(key) || !this.#isConclusive) continue;
      this.#context.report({
        code: 'never-used',
        at: keyAt,
        message: `no template of ${this.#site.name} uses the partial "${key}"`,
        hint: `write {{>${key}}}, or remove it`,
      });
    }
    this.#checkVariables();
  }

  #declare(site: PromptSite): void {
    for (const { key, keyAt } of entriesOf(child(site.node, 'variables'))) if (!this.#declared.has(key)) this.#declared.set(key, keyAt);
  }

  #visitText(node: ScalarNode, from: PromptSite, trail: readonly string[], inSection: boolean): void {
    this.#visit(this.#parse(node), { node, from, trail, inSection });
  }

  #parse(node: ScalarNode): readonly Piece[] {
    if (typeof node.value !== 'string' || !isTemplate(node.value)) return [];
    try {
      return parseTemplate(node.value);
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error;
      this.#isConclusive = false;
      if (this.#reported.faults.has(node)) return [];
      this.#reported.faults.add(node);
      const tag = /^\{\{[^}\n]*\}*/.exec(node.value.slice(error.index))?.[0] ?? '';
      this.#context.report({
        code: 'bad-template',
        at: locationIn(node, error.index, error.index + tag.length),
        message: `the template cannot be read: ${error.message}`,
        hint: 'write {{name}}, {{#name}}…{{/name}}, {{^name}}…{{/name}} or {{>partial}}',
      });
      return [];
    }
  }

  #visit(pieces: readonly Piece[], scope: { node: ScalarNode; from: PromptSite; trail: readonly string[]; inSection: boolean }): void {
    for (const piece of pieces) {
      if (piece.kind === 'text') continue;
      const at = locationIn(scope.node, piece.at.start, piece.at.end);
      if (piece.kind === 'partial') {
        this.#visitPartial(piece.name, at, scope);
        continue;
      }
      const [name = ''] = piece.name.split('.');
      if (name !== '') this.#reads.push({ name, at, inSection: scope.inSection });
      if (piece.kind === 'section') {
        const opens = !piece.isInverted && !this.#isPlainVariable(name);
        this.#visit(piece.pieces, { ...scope, inSection: scope.inSection || opens });
      }
    }
  }

  /** True for a string, number or boolean: a section of it opens no scope, so names inside are still names of variables. */
  #isPlainVariable(name: string): boolean {
    const type = valueOf(child(child(child(this.#site.node, 'variables'), name), 'type'));
    return type === 'string' || type === 'number' || type === 'boolean';
  }

  #visitPartial(name: string, at: SourceLocation, scope: { from: PromptSite; trail: readonly string[]; inSection: boolean }): void {
    const { from, trail, inSection } = scope;
    const partial = entryOf(child(from.node, 'partials'), name)?.value;
    const prompt = partial === undefined ? this.#findPrompt(name, at, from) : undefined;
    if (partial === undefined && prompt === undefined) return;
    if (partial !== undefined && from === this.#site) this.#usedPartials.add(name);
    const key = prompt === undefined ? `${promptKey(from)} > ${name}` : promptKey(prompt);
    const start = trail.indexOf(key);
    if (start >= 0) {
      this.#reportCycle(trail.slice(start), at);
      return;
    }
    if (trail.length > maxNesting) {
      this.#reportNesting(key, at);
      return;
    }
    if (this.#visited.has(`${key}${inSection}`)) return;
    this.#visited.add(`${key}${inSection}`);
    if (prompt !== undefined) this.#declare(prompt);
    const texts = prompt === undefined ? (partial?.kind === 'scalar' ? [partial] : []) : insertedTexts(prompt);
    for (const node of texts) this.#visitText(node, prompt ?? from, [...trail, key], inSection);
  }

  #reportCycle(loop: readonly string[], at: SourceLocation): void {
    this.#isConclusive = false;
    const name = loop.toSorted().join('\n');
    if (this.#reported.cycles.has(name)) return;
    this.#reported.cycles.add(name);
    const hint = [...loop, loop[0]].join(' → ');
    this.#context.report({ code: 'cycle', at, message: 'the prompts refer to each other in a cycle', hint });
  }

  #reportNesting(key: string, at: SourceLocation): void {
    this.#isConclusive = false;
    if (this.#reported.nested.has(key)) return;
    this.#reported.nested.add(key);
    const message = `partials are nested more than ${maxNesting} levels deep`;
    this.#context.report({ code: 'bad-template', at, message, hint: 'insert fewer partials into each other' });
  }

  #findPrompt(reference: string, at: SourceLocation, from: PromptSite): PromptSite | undefined {
    const { id, suffix } = splitReference(reference);
    const known = this.#known.get(id);
    if (known !== undefined) return resolveVersion(known, suffix, at, this.#context);
    this.#isConclusive = false;
    // Problems in the texts of another prompt are reported there.
    if (from !== this.#site || this.#context.hasBrokenFiles) return undefined;
    const partials = Object.keys(membersOf(child(from.node, 'partials')));
    const meant = nearest(reference, [...partials, ...this.#known.keys()]);
    const hint = meant === undefined ? 'write it under partials, or name another prompt' : `did you mean "${meant}"?`;
    this.#context.report({ code: 'unknown-reference', at, message: `no partial or prompt called "${reference}"`, hint });
    return undefined;
  }

  #checkVariables(): void {
    const read = new Set(this.#reads.map(({ name }) => name));
    const reported = new Set<string>();
    for (const { name, at, inSection } of this.#reads) {
      if (inSection || this.#declared.has(name) || reported.has(name)) continue;
      reported.add(name);
      this.#reportUndeclared(name, at);
    }
    if (!this.#isConclusive) return;
    for (const { key, keyAt } of entriesOf(child(this.#site.node, 'variables'))) {
      if (read.has(key) || !this.#context.isValid([...this.#site.path, 'variables', key])) continue;
      this.#context.report({
        code: 'never-used',
        at: keyAt,
        message: `no template of ${this.#site.name} reads the variable "${key}"`,
        hint: `write {{${key}}}, or remove it`,
      });
    }
  }

  /** A name close to a declared one is a mistake. Any other is allowed, with a warning if the version declares variables. */
  #reportUndeclared(name: string, at: SourceLocation): void {
    const meant = nearest(name, this.#declared.keys());
    const location = meant === undefined ? undefined : this.#declared.get(meant);
    if (location !== undefined) {
      const hint = `did you mean "${meant}" (${locationText(location)})?`;
      this.#context.report({ code: 'unknown-reference', at, message: `no variable called "${name}" in ${this.#site.name}`, hint });
    } else if (entryOf(this.#site.node, 'variables') !== undefined) {
      const hint = `add ${name}: {required: true} to its variables; without it a call may omit the variable`;
      this.#context.report({
        code: 'unknown-reference',
        severity: 'warning',
        at,
        message: `the variable "${name}" is not declared in ${this.#site.name}`,
        hint,
      });
    }
  }
}

const promptKey = ({ id, number }: PromptSite): string => `${id}@${number}`;

/** Version that a suffix names. Reports a version or label that does not exist. */
export function resolveVersion(
  prompt: StoredPrompt<PromptSite>,
  suffix: string | undefined,
  at: SourceLocation,
  { report }: CheckContext,
): PromptSite | undefined {
  try {
    return choosePrompt(new Map([[prompt.id, prompt]]), suffix === undefined ? prompt.id : `${prompt.id}@${suffix}`).version;
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string };
    const [sentence = '', meant] = message.split(/(?<=")\. |\.$/);
    report({
      code: 'unknown-reference',
      at,
      message: lowerFirst(sentence),
      hint: lowerFirst(withoutFullStop(meant || hint || '')),
    });
    return undefined;
  }
}
