import { useLayoutEffect, useState } from 'react';
import { banner_reload, frame_refused } from '../i18n/generated/messages.ts';
import { Alert } from './Alert.tsx';

interface Props {
  title: string;
  url: string;
  /** What the page may do beside showing itself. It never leads our own window away. */
  sandbox: string;
  allow?: string;
  className: string;
}

/** A page elsewhere. Says so where the policy that this document came with does not let it in. */
export function Frame({ title, url, sandbox, allow, className }: Props) {
  const [refused, setRefused] = useState('');
  useLayoutEffect(() => {
    const hear = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent) => {
      if (effectiveDirective === 'frame-src') setRefused(URL.parse(blockedURI)?.host ?? blockedURI);
    };
    document.addEventListener('securitypolicyviolation', hear);
    return () => document.removeEventListener('securitypolicyviolation', hear);
  }, []);
  return (
    <>
      {refused !== '' && (
        <Alert tone="warn">
          {frame_refused({ host: refused })}{' '}
          <button type="button" className="underline" onClick={() => location.reload()}>
            {banner_reload()}
          </button>
        </Alert>
      )}
      <iframe title={title} src={url} sandbox={sandbox} allow={allow} referrerPolicy="no-referrer" className={className} />
    </>
  );
}
