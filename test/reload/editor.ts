import { join } from 'node:path';
import type { GatewayEvent } from '../../src/gateway/types.ts';
import { type TestGateway, until } from '../support/gateway.ts';
import { byRename, inParts, inPlace, pause, Volume } from './edits.ts';

/** The edited files of a gateway: an entry file, an included file, and a file in a mounted volume. */
export const entryText = (upstream: string): string => `
version: 1
include: [configs/*.yaml, volume/volume.yaml]
server: {state_dir: memory}
providers: {main: {type: openai, api_key: sk-of-the-catalog, custom_host: "${upstream}/v1"}}
plugins: [auth, virtual-key, {use: ./life.ts, options: {}}, routing, transform, fallback-retry]
`;
export const supportText = (n: number): string => `configs:
  support:
    metadata: {edit: "${n}"}
    targets: [{provider: "@main", override_params: {model: m-${n}}}]
`;
export const volumeFiles = (n: number): Record<string, string> => ({
  'volume.yaml': `configs: {volume: {metadata: {edit: "${n}"}, targets: [main/x]}}\n`,
});

type Rejected = GatewayEvent & { readonly type: 'rejected' };

interface Broken {
  readonly file: 'entry' | 'support';
  /** Turns the valid text into an invalid one. */
  spoil(good: string): string;
  /** Whether the event reports this edit. */
  isNamed(event: Rejected): boolean;
}

const hasCode =
  (code: string) =>
  ({ diagnostics }: Rejected): boolean =>
    diagnostics.some((one) => one.code === code && one.severity === 'error');

const brokenEdits: readonly Broken[] = [
  { file: 'support', spoil: (validText) => `${validText}  - [\n`, isNamed: hasCode('yaml-syntax') },
  { file: 'support', spoil: (validText) => validText.replace('targets', 'targetz'), isNamed: hasCode('unknown-key') },
  { file: 'support', spoil: (validText) => validText.replace('@main', '@nobody'), isNamed: hasCode('unknown-reference') },
  {
    file: 'entry',
    spoil: (validText) => validText.replace('options: {}', 'options: {fail: true}'),
    isNamed: ({ reason }) => reason?.includes('told to fail') === true,
  },
];

/** Edits the files of a running gateway in every way and checks the results. */
export class Editor {
  edits = 0;
  brokenCount = 0;
  readonly #gateway: TestGateway;
  readonly #volume: Volume;
  readonly #entry: string;
  #support = 0;
  #mounted = 0;

  constructor(gateway: TestGateway, volume: Volume, entry: string) {
    this.#gateway = gateway;
    this.#volume = volume;
    this.#entry = entry;
  }

  /** Ten edits, two of them invalid; some are so close together that they cause one reload. */
  async round(index: number): Promise<void> {
    await this.#write(inPlace);
    await pause((index * 37) % 150);
    await this.#write(byRename);
    for (let swap = 0; swap < 3; swap += 1) await this.#swap();
    await this.#serves('volume', this.#mounted);
    await this.#breakAndRepair(index * 2);
    await this.#write((path, text) => inParts(path, text, (index * 53) % 160));
    await this.#write(byRename);
    await this.#write(inPlace);
    await this.#breakAndRepair(index * 2 + 1);
  }

  async #write(writeFile: (path: string, text: string) => Promise<void>): Promise<void> {
    this.edits += 1;
    this.#support += 1;
    await writeFile(this.#path('support'), supportText(this.#support));
  }

  async #swap(): Promise<void> {
    this.edits += 1;
    this.#mounted += 1;
    await this.#volume.swap(volumeFiles(this.#mounted));
  }

  /** An invalid edit is reported and changes nothing; the recovery is reported, too. */
  async #breakAndRepair(kind: number): Promise<void> {
    await this.#serves('support', this.#support);
    const { events, gateway } = this.#gateway;
    const { file, spoil, isNamed } = brokenEdits[kind % brokenEdits.length] as Broken;
    const validText = file === 'entry' ? this.#entry : supportText(this.#support);
    const { revision } = gateway.snapshot();
    const from = events.length;
    this.edits += 1;
    this.brokenCount += 1;
    await byRename(this.#path(file), spoil(validText));
    const what = `edit ${this.edits}`;
    const rejected = await until(
      () => events.slice(from).find((event): event is Rejected => event.type === 'rejected' && isNamed(event)),
      `${what} to be refused`,
    );
    if (rejected.revision !== revision || gateway.snapshot().revision !== revision) throw new Error(`${what} changed what serves`);
    await inPlace(this.#path(file), validText);
    await until(() => events.slice(from).some((event) => event.type === 'unchanged' && event.recovered), `${what} to be repaired`);
  }

  #serves(config: 'support' | 'volume', edit: number): Promise<unknown> {
    const configs = () => this.#gateway.gateway.snapshot().configs;
    return until(() => configs().get(config)?.metadata['edit'] === String(edit), `${config} of edit ${edit} to serve`);
  }

  #path(file: Broken['file']): string {
    return join(this.#gateway.dir, file === 'entry' ? 'gateway.yaml' : 'configs/support.yaml');
  }
}
