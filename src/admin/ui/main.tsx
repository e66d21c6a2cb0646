import { render } from 'preact';
import { followKeys } from './browser/shortcuts.ts';
import { followLinks } from './browser/route.ts';
import { followScroll } from './browser/scroll.ts';
import { followTheme } from './browser/theme.ts';
import { App } from './shell/app.tsx';

// The script is read before the page is drawn: the right colours are there from the first moment.
followTheme();
addEventListener('DOMContentLoaded', () => {
  followLinks();
  followScroll();
  followKeys();
  const root = document.getElementById('app');
  if (root !== null) render(<App />, root);
});
