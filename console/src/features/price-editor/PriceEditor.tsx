import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useStatus } from '../../api/status.ts';
import {
  action_discard,
  price_groups,
  price_json,
  price_json_fault,
  price_reset,
  price_reset_done,
  price_reset_text,
  price_reset_title,
  price_review,
  price_sync,
  price_tiers,
  price_title,
  price_unpriced,
  price_unpriced_count,
  price_unsaved,
  price_versions,
  price_views,
  price_visual,
  save_done,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { FormSkeleton } from '../../ui/form/FormSkeleton.tsx';
import { useGuard } from '../../ui/form/useGuard.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { changesOf, faultyOptions, type PriceTexts } from './draft.ts';
import { Groups } from './Groups.tsx';
import { JsonView } from './JsonView.tsx';
import { priceTextsQuery, unpricedQuery, useReset } from './queries.ts';
import { editOf, overruled, type PriceEdit, rebased } from './rebase.ts';
import { SaveDialog } from './SaveDialog.tsx';
import { SyncView } from './SyncView.tsx';
import { Tiers } from './Tiers.tsx';
import { Unpriced } from './Unpriced.tsx';
import { Versions } from './Versions.tsx';
import { Visual } from './Visual.tsx';

const views = ['visual', 'groups', 'tiers', 'json', 'unpriced', 'versions', 'sync'] as const;
type View = (typeof views)[number];

function Switch({ view, setView }: { view: View; setView(view: View): void }) {
  const count = useQuery(unpricedQuery).data?.length ?? 0;
  const isOwn = useStatus()?.self_use_mode_enabled === true;
  const names: Record<View, string> = {
    visual: price_visual(),
    groups: price_groups(),
    tiers: price_tiers(),
    json: price_json(),
    unpriced: count > 0 ? price_unpriced_count({ count }) : price_unpriced(),
    versions: price_versions(),
    sync: price_sync(),
  };
  return (
    <fieldset className="flex flex-wrap gap-1">
      <legend className="sr-only">{price_views()}</legend>
      {views
        .filter((each) => !isOwn || each !== 'groups')
        .map((each) => (
          <Button
            key={each}
            size="sm"
            tone={each === view ? 'primary' : 'quiet'}
            aria-pressed={each === view}
            onClick={() => setView(each)}
          >
            {names[each]}
          </Button>
        ))}
    </fieldset>
  );
}

function ResetButton() {
  const reset = useReset();
  const run = async () => {
    const question = { title: price_reset_title(), text: price_reset_text(), confirmLabel: price_reset(), tone: 'bad' } as const;
    if (!(await confirm(question))) return;
    reset.mutate(undefined, { onError: notifyError, onSuccess: () => notify('ok', price_reset_done()) });
  };
  return (
    <Button size="sm" icon={RotateCcw} className="ml-auto" pending={reset.isPending} onClick={() => void run()}>
      {price_reset()}
    </Button>
  );
}

interface EditorProps {
  saved: PriceTexts;
}

const editOver = (saved: PriceTexts, edited: PriceEdit | undefined): PriceEdit =>
  edited ? rebased(edited, saved) : editOf(saved);

/** What was edited and not yet saved, over what is saved. */
function Editor({ saved }: EditorProps) {
  const isForUnpriced = useLocation({ select: ({ state }) => state.unpriced });
  const [view, setView] = useState<View>(isForUnpriced ? 'unpriced' : 'visual');
  const [edited, setEdited] = useState<PriceEdit>();
  const [saving, setSaving] = useState(false);
  // What is saved moves under the edit: by a sync or a rollback here, or by somebody else.
  const edit = useMemo(() => editOver(saved, edited), [edited, saved]);
  const { texts } = edit;
  const change = (next: PriceTexts) => setEdited({ ...edit, texts: next });
  /** Over what was written a moment ago: an editor may tell of its text before the page shows that of another one. */
  const changeText = (key: keyof PriceTexts, text: string) =>
    setEdited((before) => {
      const now = editOver(saved, before);
      return { ...now, texts: { ...now.texts, [key]: text } };
    });
  const faulty = faultyOptions(texts);
  const changes = faulty.length > 0 ? [] : changesOf(edit.base, texts);
  useGuard(faulty.length > 0 || changes.length > 0);
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Switch view={view} setView={setView} />
        <ResetButton />
      </div>
      {faulty.length > 0 && view !== 'json' && (
        <div className="mb-3">
          <Alert tone="bad">{price_json_fault({ options: faulty.join(', ') })}</Alert>
        </div>
      )}
      {view === 'visual' && faulty.length === 0 && <Visual texts={texts} change={change} />}
      {view === 'groups' && faulty.length === 0 && <Groups texts={texts} change={change} />}
      {view === 'tiers' && faulty.length === 0 && <Tiers texts={texts} change={change} />}
      {view === 'json' && <JsonView texts={texts} change={changeText} />}
      {view === 'unpriced' && <Unpriced texts={texts} change={change} />}
      {view === 'versions' && <Versions />}
      {view === 'sync' && <SyncView />}
      {(changes.length > 0 || faulty.length > 0) && (
        <div className="sticky bottom-0 z-10 mt-3 flex flex-wrap items-center gap-2 rounded-lg border bg-raised px-4 py-3">
          <span role="status" className="mr-auto">
            {price_unsaved({ count: changes.length + faulty.length })}
          </span>
          <Button onClick={() => setEdited(undefined)}>{action_discard()}</Button>
          <Button tone="primary" disabled={faulty.length > 0} onClick={() => setSaving(true)}>
            {price_review()}
          </Button>
        </div>
      )}
      {saving && (
        <SaveDialog
          changes={changes}
          overruled={overruled(edit)}
          onClose={() => setSaving(false)}
          onSaved={() => {
            setSaving(false);
            setEdited(undefined);
            notify('ok', save_done());
          }}
        />
      )}
    </>
  );
}

/** The prices of all models: as a table, as JSON, their versions, and where others stand. */
export function PriceEditor() {
  const query = useQuery(priceTextsQuery);
  return (
    <section aria-labelledby="price-editor">
      <h2 id="price-editor" className="mb-2 text-base">
        {price_title()}
      </h2>
      {query.data ? (
        <Editor saved={query.data} />
      ) : query.error ? (
        <LoadError error={query.error} retry={query.refetch} />
      ) : (
        <FormSkeleton />
      )}
    </section>
  );
}
