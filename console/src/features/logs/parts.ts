import type { ReceiptLine } from '@tollgate/contract';
import {
  col_completion,
  col_prompt,
  receipt_part_audio_completion,
  receipt_part_audio_prompt,
  receipt_part_cache_write,
  receipt_part_cache_write_1h,
  receipt_part_cached,
  receipt_part_calls,
  receipt_part_image_completion,
  receipt_part_image_prompt,
} from '../../i18n/generated/messages.ts';

/** What a charge is made of. */
export const partNames: Record<ReceiptLine['part'], () => string> = {
  prompt: col_prompt,
  audio_prompt: receipt_part_audio_prompt,
  image_prompt: receipt_part_image_prompt,
  cached: receipt_part_cached,
  cache_write: receipt_part_cache_write,
  cache_write_1h: receipt_part_cache_write_1h,
  completion: col_completion,
  audio_completion: receipt_part_audio_completion,
  image_completion: receipt_part_image_completion,
  calls: receipt_part_calls,
};
