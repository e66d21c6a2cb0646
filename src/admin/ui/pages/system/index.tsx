import type { Status } from '../../../api-types.ts';
import { get } from '../../browser/api.ts';
import { useLoad } from '../../browser/load.ts';
import { navigate } from '../../browser/route.ts';
import { hasRole } from '../../browser/session.ts';
import { Page } from '../../components/page.tsx';
import { LoadedView } from '../../components/surface.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Configuration } from './configuration.tsx';
import { Controls } from './controls.tsx';
import { Now } from './now.tsx';
import { Plan } from './plan/index.tsx';
import { Revisions } from './revisions.tsx';

type View = 'now' | 'revisions' | 'configuration' | 'plan';

/** Views with their own path. */
export const systemViews: readonly View[] = ['revisions', 'configuration', 'plan'];

/** Refresh interval in milliseconds, short enough to see the result after a file was saved. */
const every = 1000;

export function System({ name }: { name: string | undefined }) {
  const status = useLoad((signal) => get<Status>('/api/status', {}, signal), [], every);
  const tabs: (readonly [View, string])[] = [['now', 'Now']];
  if (hasRole('operator')) tabs.push(['revisions', 'Revisions'], ['configuration', 'Configuration']);
  if (hasRole('admin')) tabs.push(['plan', 'Plan']);
  const view = tabs.find(([id]) => id === name)?.[0] ?? 'now';
  const show = (id: View): void => navigate(id === 'now' ? '/system' : `/system/${id}`);
  return (
    <Page title="System" aside={hasRole('admin') && <Controls status={status} />}>
      <Tabs tabs={tabs} value={view} onChange={show} label="Views of the system">
        {view === 'now' && <Now status={status} />}
        {view === 'revisions' && <Revisions onChange={status.reload} />}
        {view === 'configuration' && <LoadedView loaded={status}>{({ revision }) => <Configuration revision={revision} />}</LoadedView>}
        {view === 'plan' && <LoadedView loaded={status}>{({ revision }) => <Plan revision={revision} />}</LoadedView>}
      </Tabs>
    </Page>
  );
}
