import { createSettings, type Options, type SettingsDeps } from '../../settings/index.ts';
import type { World } from '../world.ts';

export interface SettingFacts {
  readonly options: Options;
  /** Stored values that cannot be read. */
  readonly unreadable: readonly string[];
}

export const gatherSettings = ({ settings }: World): Promise<SettingFacts> => settings();

/** The options as they lie in the database, whatever a running server has in its memory. */
export async function readStoredOptions(deps: Pick<SettingsDeps, 'db' | 'clock' | 'crypto'>): Promise<SettingFacts> {
  const unreadable: string[] = [];
  const settings = await createSettings({
    ...deps,
    changes: { notify: () => undefined },
    warn: ({ option }) => void unreadable.push(option),
  });
  return { options: settings.current(), unreadable };
}
