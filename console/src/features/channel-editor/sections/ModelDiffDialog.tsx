import { useMemo, useState } from 'react';
import {
  diff_apply,
  diff_existing,
  diff_gone,
  diff_gone_hint,
  diff_more,
  diff_new,
  diff_none,
  diff_search,
  diff_select_all,
  diff_select_none,
  diff_title,
} from '../../../i18n/generated/messages.ts';
import { Alert } from '../../../ui/Alert.tsx';
import { Button } from '../../../ui/Button.tsx';
import { CancelButton, Dialog } from '../../../ui/overlay/Dialog.tsx';
import { chosenModels, diffOf } from '../model-diff.ts';

const maxShown = 200;

interface GroupProps {
  title: string;
  hint?: string;
  names: readonly string[];
  filter: string;
  checked: ReadonlySet<string>;
  setChecked(next: ReadonlySet<string>): void;
}

function Group({ title, hint, names, filter, checked, setChecked }: GroupProps) {
  const matching = names.filter((name) => name.toLowerCase().includes(filter));
  if (matching.length === 0) return null;
  const toggle = (name: string) =>
    setChecked(checked.has(name) ? new Set([...checked].filter((other) => other !== name)) : new Set([...checked, name]));
  const all = matching.every((name) => checked.has(name));
  const toggleAll = () => {
    const meant = new Set(matching);
    setChecked(all ? new Set([...checked].filter((name) => !meant.has(name))) : new Set([...checked, ...matching]));
  };
  return (
    <fieldset className="mb-3 min-w-0">
      <legend className="sr-only">{title}</legend>
      <div className="flex min-h-8 items-center gap-2 border-b">
        <span aria-hidden className="font-medium">
          {title}
        </span>
        <button type="button" className="chip ml-auto" onClick={toggleAll}>
          {all ? diff_select_none() : diff_select_all()}
        </button>
      </div>
      {hint && <p className="mt-1 text-muted text-xs">{hint}</p>}
      <div className="mt-1 max-h-52 overflow-y-auto">
        {matching.slice(0, maxShown).map((name) => (
          <label key={name} className="flex min-h-7 items-center gap-2 max-sm:min-h-10">
            <input type="checkbox" className="checkbox" checked={checked.has(name)} onChange={() => toggle(name)} />
            <span className="min-w-0">{name}</span>
          </label>
        ))}
        {matching.length > maxShown && <p className="text-muted">{diff_more({ count: matching.length - maxShown })}</p>}
      </div>
    </fieldset>
  );
}

interface Props {
  models: readonly string[];
  offered: readonly string[];
  mapping: string;
  close(): void;
  apply(models: string[]): void;
}

/** New, present and vanished models of an upstream; nothing is taken over unasked, except by a channel that has none. */
export function ModelDiffDialog({ models, offered, mapping, close, apply }: Props) {
  const diff = useMemo(() => diffOf(models, offered, mapping), [models, offered, mapping]);
  const [first] = useState<ReadonlySet<string>>(() => new Set(models.length > 0 ? models : offered));
  const [checked, setChecked] = useState(first);
  const [filter, setFilter] = useState('');
  const added = diff.new.filter((name) => checked.has(name)).length;
  const removed = models.filter((name) => !checked.has(name)).length;
  const group = { filter: filter.trim().toLowerCase(), checked, setChecked };
  return (
    <Dialog
      title={diff_title()}
      onClose={close}
      dirty={checked.size !== first.size || [...checked].some((name) => !first.has(name))}
      footer={
        <>
          <CancelButton />
          <Button
            tone="primary"
            disabled={added + removed === 0}
            onClick={() => {
              apply(chosenModels(models, diff, checked));
              close();
            }}
          >
            {diff_apply({ count: added + removed })}
          </Button>
        </>
      }
    >
      {diff.new.length === 0 && diff.gone.length === 0 ? (
        <Alert tone="info">{diff_none()}</Alert>
      ) : (
        <input
          type="search"
          className="control mb-3"
          aria-label={diff_search()}
          placeholder={diff_search()}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
      )}
      <Group title={diff_new({ count: diff.new.length })} names={diff.new} {...group} />
      <Group title={diff_gone({ count: diff.gone.length })} hint={diff_gone_hint()} names={diff.gone} {...group} />
      <Group title={diff_existing({ count: diff.existing.length })} names={diff.existing} {...group} />
    </Dialog>
  );
}
