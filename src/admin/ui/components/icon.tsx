/** Icons on a 16-pixel grid, with lines of 1.5 pixels in the current colour. */
const paths = {
  overview: 'M2.5 13.5v-5M6.2 13.5v-11M9.8 13.5v-7M13.5 13.5v-9',
  requests: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  configs: 'M3 3.5h4v3H3zM9 9.5h4v3H9zM5 6.5V11h4',
  catalog: 'M8 2 14 5 8 8 2 5zM2 8l6 3 6-3M2 11l6 3 6-3',
  prompts: 'M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z',
  keys: 'M5.5 10.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8.2 7.5h5.3v2.5M11 7.5v2',
  system:
    'M8 10.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4zM8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6l1.4 1.4M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4',
  ok: 'm3.5 8.5 3 3 6-7',
  bad: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4',
  warn: 'M8 2 14.5 13.5h-13zM8 6.5v3M8 11.4v.2',
  info: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM8 7.2v4M8 4.8v.2',
  idle: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z',
  off: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM4.2 4.2l7.6 7.6',
  hop: 'M3 10.5c0-5 8-6 9.5-1M13 5.5v3.7H9.3',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.8 10.8 14 14',
  close: 'm4 4 8 8M12 4l-8 8',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  play: 'M5 3.2 12.5 8 5 12.8z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  up: 'm4 10 4-4 4 4',
  down: 'm4 6 4 4 4-4',
  left: 'm10 4-4 4 4 4',
  right: 'm6 4 4 4-4 4',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  time: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.8V8l2.2 1.5',
  light:
    'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9',
  dark: 'M13 9.6A5.6 5.6 0 0 1 6.4 3 5.6 5.6 0 1 0 13 9.6z',
  screen: 'M2 3h12v8H2zM6 13.5h4',
  link: 'M6.5 9.5a2.5 2.5 0 0 0 3.6 0l2.4-2.4a2.5 2.5 0 0 0-3.6-3.6l-.8.8M9.5 6.5a2.5 2.5 0 0 0-3.6 0L3.5 8.9a2.5 2.5 0 0 0 3.6 3.6l.8-.8',
  plus: 'M8 3v10M3 8h10',
  star: 'm8 2 1.9 3.9 4.3.6-3.1 3 .7 4.3L8 11.8l-3.8 2 .7-4.3-3.1-3 4.3-.6z',
  more: 'M3.5 8v.1M8 8v.1M12.5 8v.1',
  download: 'M8 2.5v7.5M4.8 7 8 10.2 11.2 7M2.5 13.5h11',
  replay: 'M13 8a5 5 0 1 1-1.5-3.6M13 2.5v3h-3',
  explain: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM6 6.2A2 2 0 1 1 8 8.4v.9M8 11.3v.2',
} as const;

export type IconName = keyof typeof paths;

/** Decorative next to text; an icon alone requires `title`. */
export function Icon({ name, title }: { name: IconName; title?: string | undefined }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      role={title === undefined ? undefined : 'img'}
      aria-label={title}
      aria-hidden={title === undefined ? 'true' : undefined}
    >
      <path d={paths[name]} />
    </svg>
  );
}
