import type { NotifyWay, User } from '@tollgate/contract';
import { useState } from 'react';
import { moneyFormatOf, useStatus } from '../../api/status.ts';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import {
  choicesOf,
  eventsFor,
  faultsOf,
  followed,
  followedChoices,
  inputOf,
  isSame,
  type SettingChoices,
  secretTexts,
  settingOf,
  textsOf,
} from './model.ts';
import { useSettingChange } from './queries.ts';

const none: ReadonlySet<NotifyWay> = new Set();

/** What was edited of the settings, over what is saved: a binding or another window changes what nobody touched here. */
export function useNotifyForm(self: User) {
  const status = useStatus();
  const format = moneyFormatOf(status);
  const setting = settingOf(self);
  const events = eventsFor(self);
  const texts = textsOf(setting, format, status?.quota_remind_threshold);
  const saved = { text: self.setting, texts, choices: choicesOf(setting, events) };
  const [base, setBase] = useState(saved);
  const [choices, setChoices] = useState(saved.choices);
  const [removed, setRemoved] = useState<ReadonlySet<NotifyWay>>(new Set());
  const change = useSettingChange();
  const form = useSmallForm(saved.texts, (values) => faultsOf(values, choices, format));
  if (base.text !== saved.text) {
    setBase(saved);
    setChoices(followedChoices(choices, base.choices, saved.choices));
    form.update((values) => followed(values, base.texts, saved.texts));
  }
  const isEdited = !isSame(inputOf(form.values, choices, removed, format), inputOf(base.texts, base.choices, none, format));
  const submit = form.submit((values) =>
    change.mutate(inputOf(values, choices, removed, format), {
      onSuccess() {
        // What was typed while it was saved stays to be saved.
        form.update((now) => {
          const stored = secretTexts.filter((name) => now[name] === values[name]);
          return { ...now, ...Object.fromEntries(stored.map((name) => [name, ''])) };
        });
        setRemoved((now) => new Set([...now].filter((way) => !removed.has(way))));
      },
    }),
  );
  return {
    ...{ form, submit, change, setting, events, choices, removed, isEdited },
    choose: (chosen: Partial<SettingChoices>) => setChoices((now) => ({ ...now, ...chosen })),
    remove: (way: NotifyWay) => setRemoved((now) => new Set([...now, way])),
  };
}

export type NotifyForm = ReturnType<typeof useNotifyForm>;
