import { Marked, Renderer, type Tokens } from "marked";
import { escapeHtml } from "../escape-html.ts";

/** Only paths are made of it. */
const ANY_ORIGIN = "http://docs.invalid";

/**
 * A page of `docs` as HTML. HTML in the page is shown as text, and links lead to other pages, pictures, the description of
 * the API and other sites; one to something else of the repository is its text alone.
 * @param name of the page, without `.md`
 */
export function toHtml(markdown: string, name: string, rootPath: string): string {
	const anchors = new Map<string, number>();
	const marked = new Marked({
		renderer: {
			heading({ tokens, depth }: Tokens.Heading) {
				const content = this.parser.parseInline(tokens);
				const text = this.parser.parseInline(tokens, this.parser.textRenderer);
				return `<h${depth} id="${anchorOf(text, anchors)}">${content}</h${depth}>\n`;
			},
			// What is wider than the page scrolls, with keys too.
			code(token: Tokens.Code) {
				return Renderer.prototype.code.call(this, token).replace("<pre>", '<pre tabindex="0">');
			},
			table(token: Tokens.Table) {
				return `<div class="wide" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`;
			},
			html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
			link({ href, tokens }: Tokens.Link) {
				const content = this.parser.parseInline(tokens);
				const address = addressOf(href, name, rootPath);
				return address === undefined ? content : `<a href="${escapeHtml(address)}">${content}</a>`;
			},
			image({ href, text }: Tokens.Image) {
				const address = addressOf(href, name, rootPath);
				const alt = escapeHtml(text);
				return address === undefined ? alt : `<img src="${escapeHtml(address)}" alt="${alt}" loading="lazy">`;
			},
		},
	});
	const content = marked.parse(markdown, { async: false });
	const title = /^# (.+)$/m.exec(markdown)?.[1] ?? name;
	return frame(title, content, name, rootPath);
}

/** As GitHub makes anchors of headings; the pages link to them so. */
function anchorOf(heading: string, known: Map<string, number>): string {
	const plain = heading.replaceAll(/&[a-z]+;|&#\d+;/g, "").toLowerCase();
	const anchor = plain.replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
	const before = known.get(anchor) ?? 0;
	known.set(anchor, before + 1);
	return before === 0 ? anchor : `${anchor}-${before}`;
}

function addressOf(href: string, name: string, rootPath: string): string | undefined {
	if (href.startsWith("#") || /^https?:\/\//.test(href)) return href;
	if (/^[a-z][a-z0-9+.-]*:|^\//i.test(href)) return undefined;
	const { pathname, hash } = new URL(href, `${ANY_ORIGIN}/repository/docs/${name}`);
	const [, path] = /^\/repository\/docs\/(.+)$/.exec(pathname) ?? [];
	if (path === "openapi.json") return `${rootPath}/openapi.json`;
	if (path?.endsWith(".md")) return `${rootPath}/docs/${path.slice(0, -".md".length)}${hash}`;
	return path?.endsWith(".png") ? `${rootPath}/docs/${path}` : undefined;
}

function frame(title: string, content: string, name: string, rootPath: string): string {
	const page = escapeHtml(`${rootPath}/docs/${name}`);
	const root = escapeHtml(rootPath);
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Spanward</title>
<link rel="icon" href="${root}/favicon.svg">
<link rel="stylesheet" href="${root}/docs/page.css">
<link rel="alternate" type="text/markdown" href="${page}.md">
</head>
<body>
<header>
<a class="home" href="${root}/"><img src="${root}/favicon.svg" alt="" width="20" height="20">Spanward</a>
<nav><a href="${root}/docs/README">Documentation</a> <a href="${page}.md">Markdown</a></nav>
</header>
<main>
${content}</main>
</body>
</html>
`;
}
