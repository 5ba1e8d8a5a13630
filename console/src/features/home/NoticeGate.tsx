import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { readText, writeText } from '../../lib/storage.ts';
import { fingerprintOf } from '../../ui/markup/content.ts';
import { part } from '../../ui/part.tsx';
import { noticeQuery } from './queries.ts';

const NoticeDialog = part(() => import('./NoticeDialog.tsx'), 'NoticeDialog', undefined, true);
const storageKey = 'notice-seen';

/** Shows the operator's notice once, and again whenever it is another one. */
export function NoticeGate() {
  const { data: notice = '' } = useQuery(noticeQuery);
  const [seen, setSeen] = useState(() => readText(storageKey));
  const fingerprint = fingerprintOf(notice.trim());
  if (notice.trim() === '' || seen === fingerprint) return null;
  const close = () => {
    writeText(storageKey, fingerprint);
    setSeen(fingerprint);
  };
  return <NoticeDialog notice={notice} onClose={close} />;
}
