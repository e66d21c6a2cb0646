import type { PromptView } from '../../../api-types.ts';
import { get } from '../../browser/api.ts';
import { useLoad } from '../../browser/load.ts';
import { Code } from '../../components/code.tsx';
import { Empty } from '../../components/display.tsx';
import { Page } from '../../components/page.tsx';
import { LoadedView } from '../../components/surface.tsx';
import { NameList } from '../../parts/name-list.tsx';
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
  const loaded = useLoad((signal) => get<readonly PromptView[]>('/api/prompts', {}, signal), [], 30_000);
  return (
    <Page title="Prompts">
      <LoadedView loaded={loaded} lines={12}>
        {(prompts) => {
          if (prompts.length === 0 && name === undefined) return <NoPrompts />;
          const prompt = name === undefined ? prompts[0] : prompts.find(({ id }) => id === name);
          return (
            <div class="split">
              <NameList
                label="Prompts"
                names={prompts.map(({ id, versions }) => ({
                  name: id,
                  note: `${versions.length} ${versions.length === 1 ? 'version' : 'versions'}`,
                }))}
                current={prompt?.id}
                hrefOf={(id) => `/prompts/${encodeURIComponent(id)}`}
              />
              {prompt === undefined ? (
                <Empty icon="search" title={`There is no prompt “${name ?? ''}”`}>
                  <p>It may have been removed from the files, or it is in a file that does not load.</p>
                </Empty>
              ) : (
                <Prompt key={prompt.id} prompt={prompt} />
              )}
            </div>
          );
        }}
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
