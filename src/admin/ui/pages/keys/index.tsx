import { useState } from 'preact/hooks';
import type { KeyPage } from '../../../api-types.ts';
import { get } from '../../browser/api.ts';
import { count } from '../../browser/format.ts';
import { useLoadWithUsage } from '../../parts/use-load-with-usage.ts';
import { hasRole } from '../../browser/session.ts';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { Empty } from '../../components/display.tsx';
import { Page } from '../../components/page.tsx';
import { LoadedView, Notice, Panel } from '../../components/surface.tsx';
import { LogFault } from '../../parts/log-fault.tsx';
import { ListSearch, pageInAddress, pageSize, Pager } from '../../parts/pager.tsx';
import { CreateDialog } from './create.tsx';
import { KeyTable } from './key-table.tsx';
import { RevokeDialog } from './revoke.tsx';
import { RotateDialog } from './rotate.tsx';

type OpenDialog = { readonly does: 'create' } | { readonly does: 'rotate' | 'revoke'; readonly name: string };

/** API keys of callers. A secret is shown once, when it is created. */
export function Keys() {
  return hasRole('operator') ? (
    <KeyList />
  ) : (
    <Page title="Keys">
      <Notice tone="info" title="Keys are shown to operators and admins" />
    </Page>
  );
}

function KeyList() {
  const { find, offset } = pageInAddress();
  const loaded = useLoadWithUsage(
    async (usage, signal) => ({ find, ...(await get<KeyPage>('/api/keys', { q: find, limit: pageSize, offset, usage }, signal)) }),
    [find, offset],
    30_000,
  );
  const [open, setOpen] = useState<OpenDialog>();
  const close = (): void => setOpen(undefined);
  const add = hasRole('admin') && (
    <Button kind="primary" icon="plus" onClick={() => setOpen({ does: 'create' })}>
      Create a key
    </Button>
  );
  return (
    <Page title="Keys" aside={add}>
      <LoadedView loaded={loaded} lines={10}>
        {({ find: found, keys, ...page }) =>
          page.total === 0 && found === '' ? (
            <NoKeys />
          ) : (
            <>
              <LogFault what="Usage and cost" of={keys} />
              <Panel
                title="API keys"
                aside={<span class="muted small">{loaded.isWithoutUsage ? 'waiting for usage and cost' : count(page.total)}</span>}
                flush
              >
                <ListSearch label="Search names, secrets, permissions and files" placeholder="app-web" total={page.total} find={found} />
                <KeyTable
                  keys={keys}
                  onRotate={(name) => setOpen({ does: 'rotate', name })}
                  onRevoke={(name) => setOpen({ does: 'revoke', name })}
                />
                <Pager page={page} />
              </Panel>
            </>
          )
        }
      </LoadedView>
      {open?.does === 'create' && (
        <CreateDialog taken={(loaded.data?.keys ?? []).map(({ name }) => name)} onClose={close} onDone={loaded.reload} />
      )}
      {open?.does === 'rotate' && <RotateDialog name={open.name} onClose={close} onDone={loaded.reload} />}
      {open?.does === 'revoke' && <RevokeDialog name={open.name} onClose={close} onDone={loaded.reload} />}
    </Page>
  );
}

const example = `api_keys:
  app-web:
    hash: sha256:…      # gateway keys create app-web prints it
    allow: {configs: [support]}`;

function NoKeys() {
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
