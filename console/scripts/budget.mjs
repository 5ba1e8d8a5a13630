/**
 * Sums the gzip sizes of what each route loads, from the build's manifest, and fails above the budgets of the console's
 * design. `node console/scripts/budget.mjs` after `vite build`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const dist = `${import.meta.dirname}/../dist/`;
const kb = 1000;
const cssBudget = 18 * kb;
/** No page loads the sum: it shows a library that comes in twice (decision 0085). */
const totalBudget = 692 * kb;
/** Entry module of each page, what it may load before first paint, and how many files that may be. */
const pages = [
  { name: 'login', module: 'src/features/auth/LoginPage.tsx', total: 130 * kb, files: 9 },
  { name: 'register', module: 'src/features/auth/RegisterPage.tsx', total: 130 * kb, files: 9 },
  { name: 'reset', module: 'src/features/auth/ResetPage.tsx', total: 130 * kb, files: 9 },
  { name: 'home', module: 'src/features/home/HomePage.tsx', total: 170 * kb, files: 12 },
  { name: 'about', module: 'src/features/home/AboutPage.tsx', total: 170 * kb, files: 12 },
  { name: 'channels', module: 'src/features/channels/ChannelsPage.tsx', total: 170 * kb, files: 12 },
  { name: 'tokens', module: 'src/features/tokens/TokensPage.tsx', total: 170 * kb, files: 12 },
  { name: 'redemption codes', module: 'src/features/redemptions/RedemptionsPage.tsx', total: 170 * kb, files: 12 },
  { name: 'wallet', module: 'src/features/wallet/WalletPage.tsx', total: 170 * kb },
  { name: 'top-ups', module: 'src/features/wallet/RecordPages.tsx', total: 170 * kb, files: 12 },
  { name: 'agency', module: 'src/features/agents/AgentPage.tsx', total: 170 * kb },
  { name: 'agency records', module: 'src/features/agents/RecordPages.tsx', total: 170 * kb, files: 12 },
  { name: 'agents', module: 'src/features/agents/manage/ManagePage.tsx', total: 170 * kb },
  { name: 'agent editor', module: 'src/features/agents/manage/AgentDrawer.tsx' },
  { name: 'dashboard', module: 'src/features/dashboard/DashboardPage.tsx', total: 170 * kb },
  { name: 'chat', module: 'src/features/chat/ChatPage.tsx' },
  { name: 'playground', module: 'src/features/playground/PlaygroundPage.tsx' },
  { name: 'logs', module: 'src/features/logs/LogsPage.tsx', total: 170 * kb, files: 12 },
  { name: 'payments', module: 'src/features/payments/PaymentsPage.tsx', total: 170 * kb, files: 12 },
  { name: 'drawings', module: 'src/features/drawing/DrawingPage.tsx', total: 170 * kb },
  { name: 'tasks', module: 'src/features/tasks/TasksPage.tsx', total: 170 * kb },
  { name: 'users', module: 'src/features/users/UsersPage.tsx', total: 170 * kb, files: 12 },
  { name: 'audit log', module: 'src/features/audit/AuditPage.tsx', total: 170 * kb, files: 12 },
  { name: 'settings', module: 'src/app/setting/SettingPage.tsx', total: 170 * kb, files: 12 },
  { name: 'personal settings', module: 'src/features/account/PersonalTab.tsx', total: 170 * kb },
  { name: 'operation settings', module: 'src/app/setting/OperationTab.tsx', total: 170 * kb },
  { name: 'system settings', module: 'src/app/setting/SystemTab.tsx', total: 170 * kb },
  { name: 'other settings', module: 'src/app/setting/OtherTab.tsx', total: 170 * kb },
  { name: 'history of settings', module: 'src/features/settings/HistoryTab.tsx', total: 170 * kb },
  { name: 'pricing', module: 'src/features/pricing/PricingPage.tsx', total: 170 * kb, files: 12 },
  { name: 'API', module: 'src/features/api-docs/ApiDocsPage.tsx', total: 170 * kb, files: 12 },
  { name: 'manual', module: 'src/features/manual/DocsPage.tsx', total: 170 * kb, files: 12 },
  { name: 'price editor', module: 'src/features/price-editor/PriceEditor.tsx' },
  { name: 'bodies', module: 'src/features/logs/BodyView.tsx' },
  { name: 'receipt', module: 'src/features/logs/ReceiptView.tsx' },
  { name: 'proof', module: 'src/features/proof/ProofPage.tsx', total: 170 * kb, files: 12 },
  { name: 'doctor', module: 'src/features/doctor/DoctorPage.tsx', total: 170 * kb, files: 12 },
  { name: 'import', module: 'src/features/import/ImportPage.tsx', total: 170 * kb, files: 12 },
  { name: 'user editor', module: 'src/features/users/UserDrawer.tsx' },
  { name: 'route', module: 'src/features/route/RoutePage.tsx', total: 170 * kb, files: 12 },
  { name: 'channel health', module: 'src/features/channel-health/HealthDrawer.tsx' },
  { name: 'tag editor', module: 'src/features/tag-editor/TagDrawer.tsx' },
  { name: 'channel editor', module: 'src/features/channel-editor/ChannelDrawer.tsx' },
  { name: 'token editor', module: 'src/features/token-editor/TokenDrawer.tsx' },
  { name: 'redemption editor', module: 'src/features/redemptions/RedemptionDrawer.tsx' },
  { name: 'how to use', module: 'src/features/tokens/HowToDialog.tsx' },
];
const overlays = { module: 'src/ui/overlay/hosts.tsx', total: 130 * kb };
const ownBudget = 30 * kb;

const sizeOf = (file) => gzipSync(readFileSync(dist + file), { level: 9 }).length;

/** The files that loading a module brings along, itself included, and those of the entry. */
export function filesOf(manifest, key, found = new Set()) {
  const chunk = manifest[key];
  if (!chunk || found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const imported of chunk.imports ?? []) filesOf(manifest, imported, found);
  return found;
}

/** Lines about everything that is above its budget. */
export function judge(manifest, size) {
  const faults = [];
  const shell = filesOf(manifest, 'index.html');
  const check = (name, bytes, budget) => {
    console.log(`${name.padEnd(24)} ${(bytes / kb).toFixed(1).padStart(7)} KB of ${budget / kb}`);
    if (bytes > budget) faults.push(`${name}: ${(bytes / kb).toFixed(1)} KB, at most ${budget / kb}`);
  };
  const sum = (files) => [...files].reduce((total, file) => total + size(file), 0);
  for (const page of pages) {
    if (!manifest[page.module]) faults.push(`${page.name}: ${page.module} is not in the manifest`);
    else {
      const files = filesOf(manifest, page.module, new Set(shell));
      if (page.total) check(page.name, sum(files), page.total);
      if (page.files && files.size > page.files) faults.push(`${page.name}: ${files.size} files, at most ${page.files}`);
      check(`${page.name} (own)`, size(manifest[page.module].file), ownBudget);
    }
  }
  check('overlays', sum([...filesOf(manifest, overlays.module)].filter((file) => !shell.has(file))), overlays.total);
  return { faults, check };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!existsSync(`${dist}.vite/manifest.json`)) throw new Error('There is no build: run `npm run build` first.');
  const manifest = JSON.parse(readFileSync(`${dist}.vite/manifest.json`, 'utf8'));
  const { faults, check } = judge(manifest, sizeOf);
  const assets = readdirSync(`${dist}assets`).map((name) => `assets/${name}`);
  const total = (suffix) => assets.filter((name) => name.endsWith(suffix)).reduce((bytes, name) => bytes + sizeOf(name), 0);
  check('all CSS', total('.css'), cssBudget);
  check('all JS', total('.js'), totalBudget);
  for (const fault of faults) console.error(`over budget: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}
