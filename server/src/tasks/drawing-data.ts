import type { Task } from './types.ts';

/** What is kept of a drawing: written by the providers' records, in the words of the drawing protocol. */
export interface DrawingData {
  readonly promptEn: string;
  readonly description: string;
  /** http or https; "" = none yet. */
  readonly imageUrl: string;
  readonly customId: string;
  readonly botType: string;
  readonly maskBase64: string;
  readonly buttons: readonly unknown[];
  readonly properties: Readonly<Record<string, unknown>> | undefined;
}

const nothing: DrawingData = {
  promptEn: '',
  description: '',
  imageUrl: '',
  customId: '',
  botType: '',
  maskBase64: '',
  buttons: [],
  properties: undefined,
};

/** Never throws: what cannot be read is nothing. */
export function drawingData({ state }: Pick<Task, 'state'>): DrawingData {
  if (state.data === '') return nothing;
  try {
    return { ...nothing, ...(JSON.parse(state.data) as Partial<DrawingData>) };
  } catch {
    return nothing;
  }
}

/** Where the image proxy shows it. The name is random: addresses of other people's pictures cannot be guessed. */
export function imageAddress(server: string, { publicId }: Pick<Task, 'publicId'>): string {
  return `${server.replace(/\/+$/, '')}/mj/image/${publicId}`;
}
