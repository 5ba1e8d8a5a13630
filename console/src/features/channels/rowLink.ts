/** A link or menu button that looks like the other buttons of a row. */
export const rowLinkClass = 'grid size-7 place-items-center rounded-md text-muted hover:bg-grey-tint hover:text-fg max-sm:size-9';
