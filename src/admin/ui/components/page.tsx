import type { ComponentChildren } from 'preact';

interface PageProps {
  readonly title: ComponentChildren;
  /** Controls next to the title. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
  /** True if the page is as high as the window, and only parts of it scroll. */
  readonly fixed?: boolean;
}

/** Layout of each page: one heading, then the sections with equal spacing. */
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
