import { useEffect } from 'preact/hooks';
import type { Session } from '../../api-types.ts';
import { type ApiError, get, post } from '../browser/api.ts';
import { unreachableRetryMs, toApiError } from '../browser/load.ts';
import { path } from '../browser/route.ts';
import { followSignOuts, hasEnded, rejectedCalls, session, setSession } from '../browser/session.ts';
import { useDelayedTrue } from '../browser/use-delayed-true.ts';
import { Empty, Skeleton } from '../components/display.tsx';
import { Boundary, Problem } from '../components/surface.tsx';
import { Toasts } from '../components/toasts.tsx';
import { signal } from '@preact/signals';
import { SignIn, SignInAgain } from '../pages/sign-in/index.tsx';
import { UnreachableNotice } from './unreachable-notice.tsx';
import { Brand, Navigation } from './navigation.tsx';
import { pageAt } from './pages.ts';
import { ShortcutList } from './shortcut-list.tsx';

const failed = signal<ApiError | undefined>(undefined);

/** The one-time link contains its token after `#`, so that no log contains it. It is removed from the address at once. */
async function startSession(): Promise<void> {
  const link = /^#t=(.+)$/.exec(location.hash)?.[1];
  if (link !== undefined) history.replaceState(null, '', location.pathname + location.search);
  try {
    if (link === undefined) session.value = await get<Session>('/api/session');
    else setSession(await post<Session>('/api/session', { link }));
    failed.value = undefined;
  } catch (error) {
    failed.value = toApiError(error);
    // Keep an existing session.
    if (link !== undefined) session.value ??= await get<Session>('/api/session').catch(() => undefined);
  }
}

/** Another tab may have signed in as another user: all tabs have one session. If it has ended, the next call finds out. */
async function updateSession(): Promise<void> {
  const before = session.peek();
  const found = await get<Session>('/api/session').catch(() => undefined);
  if (found !== undefined && found.role !== null && session.peek() === before) setSession(found);
}

function useCurrentSession(): void {
  useEffect(followSignOuts, []);
  useEffect(() => {
    const update = (): void => void updateSession();
    window.addEventListener('focus', update);
    return () => window.removeEventListener('focus', update);
  }, []);
  useEffect(() => {
    if (rejectedCalls.value > 0) void updateSession();
  }, [rejectedCalls.value]);
}

export function App() {
  useCurrentSession();
  useEffect(() => {
    void startSession();
    // A link that is pasted into an open page changes only the part after `#`.
    const again = (): void => void (location.hash.startsWith('#t=') && startSession());
    window.addEventListener('hashchange', again);
    return () => window.removeEventListener('hashchange', again);
  }, []);
  const who = session.value;
  // The first call also reports an unreachable gateway.
  useEffect(() => {
    if (who !== undefined || failed.value?.code !== 'unreachable') return undefined;
    const timer = setTimeout(() => void startSession(), unreachableRetryMs);
    return () => clearTimeout(timer);
  }, [who, failed.value]);
  // Remove the error of an earlier attempt to sign in.
  useEffect(() => {
    if (who !== undefined && who.role !== null && !hasEnded.value) failed.value = undefined;
  }, [who, hasEnded.value]);
  if (who === undefined) {
    return failed.value === undefined ? (
      <Waiting />
    ) : (
      <main class="sign-in">
        <Problem error={failed.value} onRetry={() => void startSession()} />
      </main>
    );
  }
  if (who.role === null)
    return (
      <main class="sign-in">
        <SignIn problem={failed.value} />
      </main>
    );
  // Another user or another role starts with a new page.
  return (
    <>
      <Shell key={`${who.role} ${who.name ?? ''}`} />
      {hasEnded.value && <SignInAgain problem={failed.value} />}
    </>
  );
}

/** Shown until the first response, which says who is signed in. */
function Waiting() {
  if (!useDelayedTrue(true)) return null;
  return (
    <div class="shell">
      <header class="side">
        <Brand />
      </header>
      <main class="main">
        <div class="page" role="status">
          <span class="hidden-text">Waiting for the gateway</span>
          <Skeleton lines={8} height="2.5rem" />
        </div>
      </main>
    </div>
  );
}

function Shell() {
  const found = pageAt(path.value);
  const title = found?.page.title ?? 'Not found';
  useEffect(() => {
    document.title = `${found?.name === undefined ? title : `${title} ${found.name}`} · Gateway`;
  }, [title, found?.name]);
  const View = found?.page.view;
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Navigation current={found?.page} />
      <main class="main" id="main" tabIndex={-1}>
        {View === undefined ? (
          <Empty icon="search" title="There is no such page">
            <p>
              <a href="/">Go to the overview</a>
            </p>
          </Empty>
        ) : (
          <Boundary of={path.value}>
            <View key={found?.page.title} name={found?.name} />
          </Boundary>
        )}
      </main>
      <ShortcutList />
      <UnreachableNotice />
      <Toasts />
    </div>
  );
}
