import { policy_deny, policy_deny_hint } from '../../i18n/generated/messages.ts';
import { Field } from '../../ui/Field.tsx';
import { AdvancedFold } from '../../ui/form/AdvancedFold.tsx';
import { type PolicyField, policyShape } from './policy.ts';
import { Drawing, Limits, Rate, Switches } from './policy-sections.tsx';
import type { TokenForm } from './sections.tsx';

const fields = Object.keys(policyShape) as PolicyField[];

/** What few tokens need. */
export function Advanced({ form }: { form: TokenForm }) {
  const { errors } = form.formState;
  return (
    <AdvancedFold storageKey="token-advanced" faulty={fields.some((field) => errors[field])}>
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
    </AdvancedFold>
  );
}
