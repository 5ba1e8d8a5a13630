const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** `length` random letters and digits, each equally likely. */
export function randomAlphanumerics(length: number): string {
  let text = '';
  while (text.length < length) {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
    // 248 is the largest multiple of 62 in a byte: a plain remainder would favour the first letters.
    if (byte < 248) text += alphabet[byte % 62];
  }
  return text;
}
