import { render } from 'preact';
import { followKeys } from './browser/shortcuts.ts';
import { followLinks } from './browser/route.ts';
import { followScroll } from './browser/scroll.ts';
import { followTheme } from './browser/theme.ts';
import { App } from './shell/app.tsx';

// This script runs before the first paint, so that the page has the right colours from the start.
followTheme();
addEventListener('DOMContentLoaded', () => {
  followLinks();
  followScroll();
  followKeys();
  const root = document.getElementById('app');
  if (root !== null) render(<App />, root);
});
