import type { AnnouncementKind } from '@tollgate/contract';
import { announce_kind_announcement, announce_kind_contact, announce_kind_promotion } from '../../i18n/generated/messages.ts';
import type { Tone } from '../../ui/Badge.tsx';

export const kindFaces: Record<AnnouncementKind, { text(): string; tone: Tone }> = {
  announcement: { text: announce_kind_announcement, tone: 'info' },
  promotion: { text: announce_kind_promotion, tone: 'accent' },
  contact: { text: announce_kind_contact, tone: 'violet' },
};
