import { useState } from 'preact/hooks';
import type { KeyView } from '../../../api-types.ts';
import { get } from '../../browser/api.ts';
import { useLoad } from '../../browser/load.ts';
import { may } from '../../browser/session.ts';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { Empty } from '../../components/display.tsx';
import { Page } from '../../components/page.tsx';
import { Await, Notice, Panel } from '../../components/surface.tsx';
import { CreateDialog } from './create.tsx';
import { KeyTable } from './key-table.tsx';
import { RevokeDialog } from './revoke.tsx';
import { RotateDialog } from './rotate.tsx';

type Open = { readonly does: 'create' } | { readonly does: 'rotate' | 'revoke'; readonly name: string };

/** API keys of callers. A secret is shown once, when it is created. */
export function Keys() {
  return may('operator') ? (
    <List />
  ) : (
    <Page title="Keys">
      <Notice tone="info" title="Keys are shown to operators and admins" />
    </Page>
  );
}

function List() {
  const loaded = useLoad((signal) => get<readonly KeyView[]>('/api/keys', {}, signal), [], 30_000);
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  const add = may('admin') && (
    <Button kind="primary" icon="plus" onClick={() => setOpen({ does: 'create' })}>
      Create a key
    </Button>
  );
  return (
    <Page title="Keys" aside={add}>
      <Await loaded={loaded} lines={10}>
        {(keys) =>
          keys.length === 0 ? (
            <Nothing />
          ) : (
            <Panel title="API keys" aside={<span class="muted small">{keys.length}</span>} flush>
              <KeyTable
                keys={keys}
                onRotate={(name) => setOpen({ does: 'rotate', name })}
                onRevoke={(name) => setOpen({ does: 'revoke', name })}
              />
            </Panel>
          )
        }
      </Await>
      {open?.does === 'create' && (
        <CreateDialog taken={(loaded.data ?? []).map(({ name }) => name)} onClose={close} onDone={loaded.again} />
      )}
      {open?.does === 'rotate' && <RotateDialog name={open.name} onClose={close} onDone={loaded.again} />}
      {open?.does === 'revoke' && <RevokeDialog name={open.name} onClose={close} onDone={loaded.again} />}
    </Page>
  );
}

const example = `api_keys:
  app-web:
    hash: sha256:…      # gateway keys create app-web prints it
    allow: {configs: [support]}`;

function Nothing() {
  return (
    <Empty icon="keys" title="No API keys yet">
      <p>
        Without keys the gateway serves only this machine. With the first one, every request needs a key: create it here, or with{' '}
        <code>gateway keys create app-web</code>, and give it to the client as its API key.
      </p>
      <Code text={example} language="yaml" what="example" />
    </Empty>
  );
}
