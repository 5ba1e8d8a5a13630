import { Link, type LinkProps } from '@tanstack/react-router';
import { Pencil } from 'lucide-react';
import { action_edit } from '../../i18n/generated/messages.ts';
import { rowLinkClass } from '../Button.tsx';

interface Props {
  to: Extract<LinkProps['to'], `${string}/edit/$id`>;
  id: number;
}

/** Leads to where a row is edited; the filter and the page stay. */
export const EditLink = ({ to, id }: Props) => (
  <Link
    to={to}
    params={{ id: String(id) }}
    search={true}
    aria-label={action_edit()}
    data-tip={action_edit()}
    className={rowLinkClass}
  >
    <Pencil size={16} aria-hidden />
  </Link>
);
