import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { caps_lock_on, password_hide, password_show } from '../../i18n/generated/messages.ts';
import { IconButton } from '../Button.tsx';

/** A password with reveal and a warning while Caps Lock is on. */
export function PasswordInput(props: ComponentProps<'input'>) {
  const [shown, setShown] = useState(false);
  const [capsLock, setCapsLock] = useState(false);
  return (
    <>
      <div className="relative">
        <input
          {...props}
          type={shown ? 'text' : 'password'}
          className="control pr-10"
          maxLength={128}
          spellCheck={false}
          onKeyUp={(event) => setCapsLock(event.getModifierState('CapsLock'))}
        />
        <IconButton
          icon={shown ? EyeOff : Eye}
          label={shown ? password_hide() : password_show()}
          size="sm"
          className="absolute top-1/2 right-0.5 -translate-y-1/2"
          onClick={() => setShown(!shown)}
        />
      </div>
      <p aria-live="polite" className="text-warn text-xs">
        {capsLock && caps_lock_on()}
      </p>
    </>
  );
}
