import type { UseFormReturn } from 'react-hook-form';
import type { ChannelDraft } from '../draft.ts';

export type ChannelForm = UseFormReturn<ChannelDraft, unknown, ChannelDraft>;
