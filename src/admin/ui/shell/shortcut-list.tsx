import { signal } from '@preact/signals';
import { shortcuts, useShortcuts } from '../browser/shortcuts.ts';
import { Dialog } from '../components/surface.tsx';

export const shortcutsShown = signal(false);

/** List of the shortcuts that are currently bound. */
export function ShortcutList() {
  useShortcuts([{ keys: '?', does: 'show this list', run: () => (shortcutsShown.value = true) }]);
  if (!shortcutsShown.value) return null;
  const groups = Map.groupBy(
    shortcuts.value.filter(({ does }) => does !== ''),
    ({ group }) => group ?? 'Everywhere',
  );
  return (
    <Dialog title="Keyboard" onClose={() => (shortcutsShown.value = false)}>
      <div class="stack">
        {[...groups].toReversed().map(([group, list]) => (
          <section key={group} class="stack tight">
            <h3>{group}</h3>
            <dl class="facts">
              {list.map(({ keys, does }) => (
                <>
                  <dt>
                    {keys.split(' ').map((key) => (
                      <>
                        <kbd key={key}>{key}</kbd>{' '}
                      </>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
