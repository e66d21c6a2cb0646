import { plural } from '../../browser/format.ts';
import type { PromptPage, PromptView } from '../../../api-types.ts';
import { Code } from '../../components/code.tsx';
import { Empty } from '../../components/display.tsx';
import { Page } from '../../components/page.tsx';
import { LoadedView } from '../../components/surface.tsx';
import { NameList, NoEntry } from '../../parts/name-list.tsx';
import { useListAndEntry } from '../../parts/use-list-and-entry.ts';
import { Prompt } from './prompt.tsx';

const example = `prompts:
  welcome:
    model: "@openai-main/gpt-4o-mini"
    variables: {product: {required: true}, tone: {default: friendly}}
    messages:
      - {role: system, content: "You greet customers of {{product}} in a {{tone}} tone."}
      - {role: user, content: "{{question}}"}`;

/** The library of stored prompts. */
export function Prompts({ name }: { name: string | undefined }) {
  const loaded = useListAndEntry<PromptPage, PromptView>(name, {
    path: '/api/prompts',
    firstOf: ({ prompts }) => prompts[0]?.id,
    every: 30_000,
  });
  return (
    <Page title="Prompts">
      <LoadedView loaded={loaded} lines={12}>
        {({ page, find, name: selected, entry: prompt }) =>
          page.total === 0 && find === '' && selected === undefined && prompt === undefined ? (
            <NoPrompts />
          ) : (
            <div class="split">
              <NameList
                label="Prompts"
                names={page.prompts.map(({ id, version_count: versions }) => ({
                  name: id,
                  note: plural(versions, 'version'),
                }))}
                page={page}
                find={find}
                current={name ?? prompt?.id}
                hrefOf={(id) => `/prompts/${encodeURIComponent(id)}`}
              />
              {prompt === undefined ? <NoEntry what="prompt" name={selected} /> : <Prompt key={prompt.id} prompt={prompt} />}
            </div>
          )
        }
      </LoadedView>
    </Page>
  );
}

function NoPrompts() {
  return (
    <Empty icon="prompts" title="No prompts yet">
      <p>
        A stored prompt keeps its text in your files: clients send values alone, and a new version needs no deploy. Write one into{' '}
        <code>gateway.yaml</code>; clients call <code>/v1/prompts/welcome/completions</code>.
      </p>
      <Code text={example} language="yaml" what="example" />
    </Empty>
  );
}
