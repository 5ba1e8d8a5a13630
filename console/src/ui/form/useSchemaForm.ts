import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useEffect, useLayoutEffect } from 'react';
import { type DefaultValues, type FieldValues, type Path, type UseFormReturn, useForm } from 'react-hook-form';
import type * as z from 'zod/mini';
import { useLanguage } from '../../i18n/language.ts';
import { afterPress } from '../../lib/press.ts';

/**
 * A form in a drawer whose rules, texts and parsing are one schema. Rules speak on blur, then at every change; submitting
 * moves the focus to the first fault. Texts of open faults follow a language switch.
 */
export function useSchemaForm<Input extends FieldValues, Output>(
  schema: z.ZodMiniType<Output, Input>,
  defaults: DefaultValues<Input>,
): UseFormReturn<Input, unknown, Output> {
  const language = useLanguage();
  const resolve = standardSchemaResolver(schema);
  const form = useForm<Input, unknown, Output>({
    resolver: async (...asked) => {
      await new Promise<void>(afterPress);
      return resolve(...asked);
    },
    defaultValues: defaults,
    mode: 'onTouched',
    shouldFocusError: false,
  });
  const { submitCount } = form.formState;
  // The library knows no way to fields it did not register, nor to those that a fold shows only for their fault.
  useLayoutEffect(() => {
    if (submitCount > 0) document.querySelector<HTMLElement>('[role="dialog"] [aria-invalid="true"]')?.focus();
  }, [submitCount]);
  const { trigger, getValues, getFieldState } = form;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a language switch re-reads the texts
  useEffect(() => {
    const faulty = (Object.keys(getValues()) as Path<Input>[]).filter((name) => getFieldState(name).invalid);
    if (faulty.length > 0) void trigger(faulty);
  }, [language]);
  return form;
}
