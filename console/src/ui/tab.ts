/** How the links between the parts of a page look; the open one carries `aria-current="page"`. */
export const tabClass =
  '-mb-px inline-flex h-9 shrink-0 items-center border-b-2 border-transparent px-3 text-muted no-underline hover:text-fg aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-fg';
