import type { ComponentChildren } from 'preact';

interface PageProps {
  readonly title: ComponentChildren;
  /** Controls beside the title. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
  /** As high as the window: parts of the page scroll, the page does not. */
  readonly fixed?: boolean;
}

/** The frame of each page: one heading, then the page's parts one space apart. */
export function Page({ title, aside, children, fixed = false }: PageProps) {
  return (
    <div class={fixed ? 'page fixed' : 'page'}>
      <div class="page-head">
        <h1>{title}</h1>
        {aside !== undefined && <div class="row">{aside}</div>}
      </div>
      {children}
    </div>
  );
}
