import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ownModelsQuery } from '../../../api/self.ts';
import {
  own_models_all,
  own_models_copy,
  own_models_less,
  own_models_none,
  own_models_text,
  own_models_title,
} from '../../../i18n/generated/messages.ts';
import { TextButton } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { copyText } from '../../../ui/copy.ts';
import { Unread } from '../../../ui/LoadError.tsx';

const collapsedCount = 10;

/** What this user may call; the first ten, and the rest on request. */
export function ModelsCard() {
  const query = useQuery(ownModelsQuery);
  const { data } = query;
  const [open, setOpen] = useState(false);
  const models = data ?? [];
  const shown = open ? models : models.slice(0, collapsedCount);
  return (
    <Card title={own_models_title()} text={own_models_text()}>
      <Unread query={query} />
      {data?.length === 0 && <p className="text-muted">{own_models_none()}</p>}
      <ul className="flex flex-wrap gap-1.5">
        {shown.map((model) => (
          <li key={model} className="min-w-0">
            <button
              type="button"
              className="chip max-w-full truncate"
              aria-label={own_models_copy({ model })}
              onClick={() => void copyText(model)}
            >
              {model}
            </button>
          </li>
        ))}
      </ul>
      {models.length > collapsedCount && (
        <TextButton aria-expanded={open} className="mt-2" onClick={() => setOpen(!open)}>
          {open ? own_models_less() : own_models_all({ count: models.length })}
        </TextButton>
      )}
    </Card>
  );
}
