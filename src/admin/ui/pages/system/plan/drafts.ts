import { computed, effect } from '@preact/signals';
import { session } from '../../../browser/session.ts';
import { storedSignal } from '../../../browser/stored-signal.ts';

/** Texts by path. */
type Texts = Readonly<Record<string, string>>;

interface Drafts {
  /** Name of the user who wrote them; null if the gateway asks nobody to sign in. */
  readonly user: string | null;
  readonly texts: Texts;
}

const isDrafts = (value: unknown): value is Drafts => {
  const { user, texts } = (value ?? {}) as Partial<Record<keyof Drafts, unknown>>;
  return (
    (user === null || typeof user === 'string') &&
    typeof texts === 'object' &&
    texts !== null &&
    Object.values(texts).every((text) => typeof text === 'string')
  );
};

const none: Drafts = { user: null, texts: {} };

/** They may contain secrets. They are kept until the browser tab is closed, the user signs out, or another user signs in. */
const stored = storedSignal<Drafts>('drafts', none, isDrafts, 'tab');

/** Unsaved texts of the plan. */
export const drafts = computed(() => stored.value.texts);

export function setDrafts(texts: Texts): void {
  stored.value = { user: session.peek()?.name ?? null, texts };
}

// A session that ended while the page was open is still the current one here, so that its user can continue.
effect(() => {
  const user = session.value;
  if (user !== undefined && user.name !== stored.peek().user) stored.value = none;
});
