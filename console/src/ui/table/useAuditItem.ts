import { useNavigate } from '@tanstack/react-router';
import { ShieldCheck } from 'lucide-react';
import { isRoot, useSession } from '../../api/session.ts';
import { nav_audit } from '../../i18n/generated/messages.ts';

/** The item of a row's menu that leads to what was done to it (`user:7`, `channel:3`); none but for root, who alone reads the audit log. */
export function useAuditItem(target: string) {
  const session = useSession();
  const navigate = useNavigate();
  if (!isRoot(session)) return [];
  const onSelect = () => void navigate({ to: '/audit', search: { target } });
  return [{ key: 'audit', label: nav_audit(), icon: ShieldCheck, onSelect }];
}
