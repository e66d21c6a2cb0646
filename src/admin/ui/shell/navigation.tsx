import { useEffect, useRef, useState } from 'preact/hooks';
import type { Session } from '../../api-types.ts';
import { remove } from '../browser/api.ts';
import { toApiError } from '../browser/load.ts';
import { notify } from '../browser/notify.ts';
import { navigate, path } from '../browser/route.ts';
import { markSignedOut, session } from '../browser/session.ts';
import { useShortcuts } from '../browser/shortcuts.ts';
import { type Theme, theme } from '../browser/theme.ts';
import { Button } from '../components/button.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { type Page, pages } from './pages.ts';
import { shortcutsShown } from './shortcut-list.tsx';

export function Navigation({ current }: { current: Page | undefined }) {
  const [open, setOpen] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  const close = (focused: HTMLElement | null | undefined): void => {
    setOpen(false);
    focused?.focus({ preventScroll: true });
  };
  useEffect(() => setOpen(false), [path.value]);
  const listed = pages.filter((page) => page.nav !== undefined);
  useShortcuts(
    listed.map(({ path: to, title, nav }) => ({
      keys: `g ${nav?.key ?? ''}`,
      does: `go to ${title}`,
      group: 'Pages',
      run: () => navigate(to),
    })),
  );
  return (
    <header
      class={open ? 'side open' : 'side'}
      onKeyDown={(event) => {
        if (!open || event.key !== 'Escape') return;
        event.preventDefault();
        close(menu.current?.querySelector('button'));
      }}
    >
      <Brand />
      <div class="menu-button" ref={menu}>
        <Button
          icon={open ? 'close' : 'menu'}
          kind="quiet"
          label={open ? 'Close the menu' : 'Open the menu'}
          expanded={open}
          onClick={() => setOpen(!open)}
        />
      </div>
      {/* A link that had the focus is hidden with the menu. */}
      <nav class="nav" aria-label="Pages" onClick={() => open && close(document.getElementById('main'))}>
        {listed.map(({ path: to, title, nav }) => (
          <a
            key={to}
            href={to}
            aria-current={(current?.highlightedEntry ?? current?.path) === to ? 'page' : undefined}
            title={`g ${nav?.key ?? ''}`}
          >
            <Icon name={nav?.icon ?? 'info'} />
            {title}
          </a>
        ))}
      </nav>
      <Foot />
    </header>
  );
}

export const Brand = () => (
  <a class="brand" href="/">
    <svg class="icon" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true">
      <path d="M1.5 8h4M10.5 3.5h4M10.5 8h4M10.5 12.5h4M5.5 8c3 0 2-4.5 5-4.5M5.5 8h5M5.5 8c3 0 2 4.5 5 4.5" />
    </svg>
    Gateway
  </a>
);

const themes: Readonly<Record<Theme, { readonly icon: IconName; readonly next: Theme; readonly name: string }>> = {
  system: { icon: 'screen', next: 'light', name: 'system' },
  light: { icon: 'light', next: 'dark', name: 'light' },
  dark: { icon: 'dark', next: 'system', name: 'dark' },
};

function Foot() {
  const who = session.value;
  const { icon, next, name } = themes[theme.value];
  return (
    <div class="side-foot">
      <div class="row">
        <Button small kind="quiet" icon={icon} label={`Theme: ${name}. Change`} onClick={() => (theme.value = next)} />
        <Button small kind="quiet" label="Keyboard shortcuts" shortcut="?" onClick={() => (shortcutsShown.value = true)}>
          <kbd aria-hidden="true">?</kbd>
          <span class="hidden-text">Keyboard shortcuts</span>
        </Button>
        {who?.is_open === false && (
          <Button small kind="quiet" onClick={() => void signOut()}>
            Sign out
          </Button>
        )}
      </div>
      {who?.is_open === false && <span class="break">{who.name === who.role ? who.name : `${who.name} · ${who.role}`}</span>}
      <span>Version {who?.version}</span>
    </div>
  );
}

async function signOut(): Promise<void> {
  try {
    markSignedOut(await remove<Session>('/api/session'));
  } catch (error) {
    notify(toApiError(error).message, 'bad');
  }
}
