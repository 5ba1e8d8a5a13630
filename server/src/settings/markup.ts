import sanitizeHtml from 'sanitize-html';

const harmless = /^[\w\s#%.,()+-]{1,100}$/;
const styles = [
  ...['color', 'background-color', 'text-align', 'text-decoration', 'line-height', 'font-size', 'font-weight', 'font-style'],
  ...['margin', 'margin-top', 'margin-right', 'margin-bottom', 'margin-left'],
  ...['padding', 'padding-top', 'padding-right', 'padding-bottom', 'padding-left'],
  ...['width', 'height', 'max-width', 'border', 'border-radius', 'display', 'gap', 'flex', 'flex-wrap', 'justify-content'],
];
const blocks = [
  ...['address', 'article', 'aside', 'blockquote', 'center', 'dd', 'details', 'div', 'dl', 'dt', 'figcaption', 'figure'],
  ...['footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hr', 'li', 'main', 'nav', 'ol', 'p', 'pre', 'section', 'summary'],
  ...['table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr', 'caption', 'ul'],
];
const inline = [
  ...['a', 'abbr', 'b', 'br', 'cite', 'code', 'del', 'em', 'font', 'i', 'img', 'ins', 'kbd', 'mark', 'q', 's', 'small'],
  ...['span', 'strong', 'sub', 'sup', 'time', 'u', 'var', 'wbr'],
];

const rules: sanitizeHtml.IOptions = {
  allowedTags: [...blocks, ...inline],
  allowedAttributes: {
    '*': ['style', 'title', 'lang', 'dir', 'align'],
    a: ['href', 'target', 'rel'],
    img: ['src', 'alt', 'width', 'height'],
    font: ['color'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
    details: ['open'],
    ol: ['start'],
    time: ['datetime'],
  },
  allowedStyles: { '*': Object.fromEntries(styles.map((style) => [style, [harmless]])) },
  allowedSchemes: ['https', 'http', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['https'] },
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  nestingLimit: 64,
  textFilter: (text) => text.replaceAll('&gt;', '>').replaceAll(/&amp;(?!#?\w+;)/g, '&'),
  transformTags: {
    a: (tagName, attribs) => ({ tagName, attribs: { ...attribs, rel: 'noopener noreferrer nofollow' } }),
  },
};

/**
 * Markdown or HTML without anything that runs, loads a page or covers one. Text without a tag stays as it is, so that
 * Markdown keeps its signs; beside tags, `>` and `&` that are no markup stay readable. Cleaning twice changes nothing more.
 */
export function sanitizeMarkup(source: string): string {
  return /<[^\s\d<=>]/.test(source) ? sanitizeHtml(source, rules) : source;
}

/** The text alone, for places that show no markup. */
export function plainMarkup(source: string): string {
  const text = /<[^\s\d<=>]/.test(source) ? sanitizeHtml(source, { ...rules, allowedTags: [], allowedAttributes: {} }) : source;
  return text
    .replaceAll(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => entities[name] ?? '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' };
