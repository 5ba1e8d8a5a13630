import type { LucideIcon } from 'lucide-react';
import { createStore } from '../lib/store.ts';

/** Requests for what floats above the page. The hosts load with the first request; see overlay/hosts.tsx. */

export interface MenuItem {
  key: string;
  label: string;
  icon?: LucideIcon;
  tone?: 'bad';
  /** Given for a choice among several. */
  checked?: boolean;
  disabled?: boolean;
  /** A choice of its own: the menu stays open, to be used again. */
  stays?: boolean;
  /** A line above this item. */
  separated?: boolean;
  onSelect(): void;
}
export interface MenuRequest {
  anchor: HTMLElement;
  items: readonly MenuItem[];
  onClose(): void;
}
export const openMenus = createStore<MenuRequest | undefined>(undefined);

export interface ConfirmRequest {
  title: string;
  text?: string;
  confirmLabel: string;
  tone?: 'bad';
  resolve(confirmed: boolean): void;
}
export const confirms = createStore<ConfirmRequest | undefined>(undefined);

/** Asks a question in a dialog; false when it is left in any other way than by the confirming button. */
export function confirm(question: Omit<ConfirmRequest, 'resolve'>): Promise<boolean> {
  confirms.get()?.resolve(false);
  return new Promise((resolve) => {
    confirms.set({
      ...question,
      resolve(confirmed) {
        confirms.set(undefined);
        resolve(confirmed);
      },
    });
  });
}

/** A text that could not be copied by us: shown selected, to be copied by hand. */
export const manualCopies = createStore<string | undefined>(undefined);

/** A song and where it is. */
export interface Sound {
  title: string;
  src: string;
}

/** Something of a row that is too large for it: shown in full in a dialog. */
export type Preview =
  | {
      kind: 'text';
      title: string;
      text: string;
      /** Where the server has the video that the text is about. */
      video?: string | undefined;
      sounds?: readonly Sound[] | undefined;
    }
  | { kind: 'image'; title: string; src: string; alt: string };
export const previews = createStore<Preview | undefined>(undefined);
