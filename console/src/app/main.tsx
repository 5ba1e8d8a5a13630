import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { followSystemTheme } from '../lib/theme.ts';
import '../styles/tokens.css';
import { App } from './App.tsx';
import { createQueryClient } from './query-client.ts';
import { createAppRouter, followFocus, followSession, followSessionExpiry } from './router.tsx';

const router = createAppRouter();
const client = createQueryClient();
followSystemTheme();
followSession(router, client);
followSessionExpiry(router);
followFocus(router);

const element = document.getElementById('app');
if (element) {
  createRoot(element).render(
    <StrictMode>
      <App router={router} client={client} />
    </StrictMode>,
  );
}
