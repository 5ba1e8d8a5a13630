import { Link, type LinkProps } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { buttonClass } from '../Button.tsx';

interface Props {
  to: Extract<LinkProps['to'], `${string}/add`>;
  children: string;
}

/** Leads to where a row is added; the filter and the page stay. */
export const AddLink = ({ to, children }: Props) => (
  <Link to={to} search={true} className={buttonClass('primary')}>
    <Plus size={15} aria-hidden />
    {children}
  </Link>
);
