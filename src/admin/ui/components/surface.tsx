import { Component, type ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { ApiError } from '../browser/api.ts';
import type { Loaded } from '../browser/load.ts';
import { Button } from './button.tsx';
import { Loading } from './display.tsx';
import { Icon, type IconName } from './icon.tsx';
import { DialogToasts } from './toasts.tsx';

/** A section of a page with a heading. `flush` removes the padding, so that a table reaches the edges. */
export function Panel({
  title,
  aside,
  children,
  flush = false,
}: {
  title: ComponentChildren;
  aside?: ComponentChildren;
  children: ComponentChildren;
  flush?: boolean;
}) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside !== undefined && <div class="row">{aside}</div>}
      </header>
      <div class={flush ? 'body flush' : 'body'}>{children}</div>
    </section>
  );
}

const noticeIcon: Readonly<Record<string, IconName>> = { ok: 'ok', warn: 'warn', bad: 'bad', info: 'info' };

export function Notice({ tone, title, children }: { tone: 'ok' | 'warn' | 'bad' | 'info'; title?: string; children?: ComponentChildren }) {
  return (
    <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon name={noticeIcon[tone] ?? 'info'} />
      <div class="grow stack tight">
        {title !== undefined && <strong title={title.length > 300 ? title : undefined}>{title}</strong>}
        {children}
      </div>
    </div>
  );
}

/** The error of a call and its hint. */
export function Problem({ error, onRetry }: { error: ApiError; onRetry?: () => void }) {
  return (
    <Notice tone="bad" title={error.message}>
      {error.hint !== null && <p>{error.hint}</p>}
      {onRetry !== undefined && (
        <div>
          <Button small onClick={onRetry}>
            Try again
          </Button>
        </div>
      )}
    </Notice>
  );
}

/** Errors of several calls. If calls fail with the same one, it is shown once. */
export function Problems({ calls }: { calls: readonly Loaded<unknown>[] }) {
  const failed = Map.groupBy(calls.filter(hasShownError), ({ error }) => `${error?.message} ${error?.hint}`);
  return (
    <>
      {[...failed].map(
        ([text, same]) =>
          same[0]?.error !== undefined && (
            <Problem key={text} error={same[0].error} onRetry={() => same.forEach(({ reload }) => reload())} />
          ),
      )}
    </>
  );
}

/** An unreachable gateway is reported once, for the whole page. */
const hasShownError = ({ data, error }: Loaded<unknown>): boolean =>
  error !== undefined && !(error.code === 'unreachable' && data !== undefined);

interface BoundaryProps {
  readonly children: ComponentChildren;
  /** The content is shown again when this changes. */
  readonly of: unknown;
  readonly onRetry?: () => void;
}

/** Shows an error in place of content that cannot be rendered, for example from an unexpected response. The rest of the page stays usable. */
export class Boundary extends Component<BoundaryProps, { readonly error?: unknown }> {
  static override getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override componentDidCatch(error: unknown): void {
    reportError(error);
  }

  override componentDidUpdate({ of }: BoundaryProps): void {
    if (of !== this.props.of && this.state.error !== undefined) this.setState({ error: undefined });
  }

  override render({ children, onRetry }: BoundaryProps): ComponentChildren {
    const { error } = this.state;
    if (error === undefined) return children;
    const retry = (): void => {
      this.setState({ error: undefined });
      onRetry?.();
    };
    return <Problem error={failedToShow(error)} onRetry={retry} />;
  }
}

const failedToShow = (error: unknown): ApiError =>
  new ApiError(
    `This cannot be shown: ${error instanceof Error ? error.message : String(error)}`,
    0,
    'not_shown',
    'The page may be older or newer than the gateway. Reload the page.',
  );

/** A component of its own, so that a boundary catches its errors. */
function Content<T>({ data, view }: { data: T; view: (data: T) => ComponentChildren }) {
  return <>{view(data)}</>;
}

/**
 * Skeleton, error or content of a call. If there is older data and a new error, both are shown.
 */
export function LoadedView<T>({
  loaded,
  children,
  lines = 4,
}: {
  loaded: Loaded<T>;
  children: (data: T) => ComponentChildren;
  lines?: number;
}) {
  const { data, error } = loaded;
  return (
    <>
      <Problems calls={[loaded]} />
      {data !== undefined ? (
        <Boundary of={data} onRetry={loaded.reload}>
          <Content data={data} view={children} />
        </Boundary>
      ) : (
        error === undefined && <Loading lines={lines} />
      )}
    </>
  );
}

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly footer?: ComponentChildren;
  readonly wide?: boolean;
  /** Its content is shown only once, so a click outside does not close it. */
  readonly once?: boolean;
  /** A change is in progress. The dialog stays open, because the gateway makes the change anyway and its result may be a secret. */
  readonly busy?: boolean | undefined;
}

/** The browser's dialog element: it traps the focus, closes with Escape or a click outside, and restores the focus. */
export function Dialog({ title, onClose, children, footer, wide = false, once = false, busy = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  // A text selection that ends outside of the dialog also causes a click there.
  const pressed = useRef<EventTarget | null>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog?.showModal();
    // The browser would focus the button that closes it.
    dialog?.querySelector<HTMLElement>('.body :is(input, select, textarea)')?.focus();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  useLayoutEffect(() => {
    if (!busy) return undefined;
    // The browser closes a dialog at the second Escape, even if the event `cancel` is prevented. The focus may be on a disabled button.
    const ignoreEscape = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') event.preventDefault();
    };
    document.addEventListener('keydown', ignoreEscape);
    const before = document.activeElement;
    return () => {
      document.removeEventListener('keydown', ignoreEscape);
      // Disabled buttons lose the focus, and the button of a form is replaced together with the form.
      if (document.activeElement !== document.body) return;
      const body = ref.current?.querySelector<HTMLElement>('.body');
      (before instanceof HTMLElement && before.isConnected ? before : body)?.focus();
    };
  }, [busy]);
  return (
    <dialog
      ref={ref}
      class={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!busy) onClose();
      }}
      onPointerDown={(event) => {
        pressed.current = event.target;
      }}
      onClick={(event) => {
        if (!once && !busy && event.target === ref.current && pressed.current === ref.current) onClose();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" icon="close" label="Close" disabled={busy} onClick={onClose} />
      </header>
      <div class="body" tabIndex={0}>
        {children}
      </div>
      {footer !== undefined && <footer>{footer}</footer>}
      <DialogToasts />
    </dialog>
  );
}
