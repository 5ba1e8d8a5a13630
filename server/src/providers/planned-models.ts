import { words } from './words.ts';

/** Suggested models of the planned types (contract 4.4): data, not protocol. */
const drawing = words('mj_imagine mj_variation mj_reroll mj_blend mj_upscale mj_describe');

export const plannedModels: Readonly<Record<number, readonly string[]>> = {
  2: [...drawing, 'mj_uploads'],
  5: [
    ...drawing,
    ...words(
      `mj_upload swap_face mj_zoom mj_shorten mj_modal mj_inpaint mj_custom_zoom mj_high_variation mj_low_variation mj_pan`,
    ),
  ],
  36: words('suno_music suno_lyrics'),
};
