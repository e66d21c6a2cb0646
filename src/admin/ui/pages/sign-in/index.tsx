import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Session } from '../../../api-types.ts';
import { type ApiError, post } from '../../browser/api.ts';
import { toApiError } from '../../browser/load.ts';
import { hasEnded, setSession } from '../../browser/session.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/form.tsx';
import { Notice, Problem } from '../../components/surface.tsx';

/** Covers a page whose session has ended, so that its input, or a value shown once, is kept. */
export function SignInAgain({ problem }: { problem: ApiError | undefined }) {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      class="sign-in again"
      aria-label="Sign in"
      onCancel={(event) => event.preventDefault()}
      // Browsers close a dialog on the second Escape even if the page prevents it.
      onClose={() => ref.current?.showModal()}
    >
      <SignIn problem={problem} />
    </dialog>
  );
}

export function SignIn({ problem }: { problem: ApiError | undefined }) {
  const [token, setToken] = useState('');
  const [error, setError] = useState(problem);
  const [busy, setBusy] = useState(false);
  useEffect(() => setError(problem), [problem]);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const submit = async (): Promise<void> => {
    setBusy(true);
    try {
      setSession(await post<Session>('/api/session', { token: token.trim() }));
    } catch (thrown) {
      setError(toApiError(thrown));
      setBusy(false);
    }
  };
  return (
    <section class="panel">
      <h1>Sign in to the gateway</h1>
      <form
        ref={form}
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {hasEnded.value && error === undefined && (
          <Notice tone="info" title="Your session has ended">
            <p>Sign in to continue where you were.</p>
          </Notice>
        )}
        {error !== undefined && <Problem error={error} />}
        <TextField
          label="Admin token"
          type="password"
          value={token}
          onInput={setToken}
          hint={
            <>
              <code>gateway dashboard</code> prints a link that signs you in once. The token is <code>server.admin.token</code> of your{' '}
              <code>gateway.yaml</code>, or in the file <code>admin-token</code> of the state directory.
            </>
          }
        />
        <Button kind="primary" type="submit" disabled={busy || token.trim() === ''}>
          Sign in
        </Button>
      </form>
    </section>
  );
}
