export { createMailer, type Mailer } from './mail.ts';
export { codeMail, resetMail, takenMail } from './mail-templates.ts';
