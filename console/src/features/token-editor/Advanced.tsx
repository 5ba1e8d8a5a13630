import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { policy_deny, policy_deny_hint, section_advanced } from '../../i18n/generated/messages.ts';
import { readText, writeText } from '../../lib/storage.ts';
import { Field } from '../../ui/Field.tsx';
import { type PolicyField, policyShape } from './policy.ts';
import { Drawing, Limits, Rate, Switches } from './policy-sections.tsx';
import type { TokenForm } from './sections.tsx';

const storageKey = 'token-advanced';
const fields = Object.keys(policyShape) as PolicyField[];

/** What few tokens need. Stays open for those who opened it, and opens for a fault inside. */
export function Advanced({ form }: { form: TokenForm }) {
  const [open, setOpen] = useState(() => readText(storageKey) === 'open');
  const { errors } = form.formState;
  // Stays open once the fault is corrected: the field is being typed into.
  if (!open && fields.some((field) => errors[field])) setOpen(true);
  const toggle = () => {
    writeText(storageKey, open ? '' : 'open');
    setOpen(!open);
  };
  return (
    <section>
      <h3>
        <button type="button" aria-expanded={open} className="flex h-8 items-center gap-1 text-base" onClick={toggle}>
          <ChevronRight size={16} aria-hidden className={open ? 'rotate-90' : ''} />
          {section_advanced()}
        </button>
      </h3>
      {open && (
        <div className="mt-2.5 flex flex-col gap-5">
          <Limits form={form} />
          <Rate form={form} />
          <Field label={policy_deny()} hint={policy_deny_hint()} error={errors.denyIps?.message}>
            {(control) => (
              <textarea
                {...control}
                {...form.register('denyIps')}
                className="control font-mono text-xs"
                rows={3}
                spellCheck={false}
                placeholder={'203.0.113.9\n2001:db8::/32'}
              />
            )}
          </Field>
          <Switches form={form} />
          <Drawing form={form} />
        </div>
      )}
    </section>
  );
}
