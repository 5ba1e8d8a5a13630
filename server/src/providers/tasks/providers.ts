import { channelTypes } from '@tollgate/contract';
import type { Provider } from '../provider.ts';
import { words } from '../words.ts';
import { midjourney, midjourneyPlus } from './midjourney.ts';
import { suno } from './suno.ts';

const keyHeader = 'mj-api-secret';
const drawings = words('mj_imagine mj_variation mj_reroll mj_blend mj_upscale mj_describe mj_upload');
const moreDrawings = words(
  'swap_face mj_zoom mj_shorten mj_modal mj_inpaint mj_custom_zoom mj_high_variation mj_low_variation mj_pan',
);

const baseUrls = new Map(channelTypes.map(({ type, baseUrl }) => [type, baseUrl]));

/** Vendors of which nothing answers at once. */
export const taskProviders: readonly Provider[] = [
  record(2, {
    name: 'midjourney',
    tasks: midjourney,
    keyHeader,
    models: drawings,
    untestable: 'midjourney channel test is not supported',
  }),
  record(5, {
    name: 'midjourney',
    tasks: midjourneyPlus,
    keyHeader,
    models: [...drawings, ...moreDrawings],
    untestable: 'midjourney plus channel test is not supported!!!',
  }),
  record(36, {
    name: 'suno',
    tasks: suno,
    models: words('suno_music suno_lyrics'),
    untestable: 'suno channel test is not supported',
  }),
];

function record(type: number, own: Pick<Provider, 'name' | 'tasks' | 'keyHeader' | 'models' | 'untestable'>): Provider {
  return { type, baseUrl: baseUrls.get(type) ?? '', paths: {}, streamUsage: false, tasksOnly: true, ...own };
}
