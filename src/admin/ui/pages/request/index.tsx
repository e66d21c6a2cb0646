import { Page } from '../../components/page.tsx';
import { navigate } from '../../browser/route.ts';
import { useShortcuts } from '../../browser/shortcuts.ts';
import { RequestView } from './view.tsx';

/** One request on its own page, whose address can be shared. */
export function RequestPage({ name }: { name: string | undefined }) {
  useShortcuts([{ keys: 'Escape', does: 'go to the list', group: 'Request', run: () => navigate('/requests') }]);
  return (
    <Page title="Request" aside={<a href="/requests">All requests</a>}>
      <section class="panel request-page">
        <RequestView key={name} id={name ?? ''} isPanel={false} />
      </section>
    </Page>
  );
}
