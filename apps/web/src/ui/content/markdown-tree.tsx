import type { Nodes, Root, RootContent } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { createElement, Fragment, type Key, type ReactNode } from "react";

/** Schemes that a link in a trace may have; others are shown as text. */
const SAFE_LINK = /^(?:https?:|mailto:)/iu;

/** CommonMark with GitHub's tables, task lists, strikethrough and bare links, as a syntax tree. */
export function parseMarkdown(text: string): Root {
	return fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

interface Definitions {
	/** The address of a reference. */
	readonly addresses: ReadonlyMap<string, string>;
	readonly hasImageLinks: boolean;
}

/**
 * Draws a markdown text as React elements. There is no HTML on the way: raw HTML in the text is shown as the text it is,
 * images are shown as their address (nothing is loaded from elsewhere), links open outside with no referrer.
 */
export function MarkdownTree({
	text,
	hasImageLinks = false,
}: {
	readonly text: string;
	/** Images are links to them, rather than their text. */
	readonly hasImageLinks?: boolean;
}): ReactNode {
	const root = parseMarkdown(text);
	const addresses = new Map<string, string>();
	for (const node of root.children) if (node.type === "definition") addresses.set(node.identifier, node.url);
	return <>{drawAll(root.children, { addresses, hasImageLinks })}</>;
}

function drawAll(nodes: readonly RootContent[], definitions: Definitions): ReactNode[] {
	return nodes.map((node, index) => draw(node, definitions, index));
}

function element(
	tag: string,
	node: { children: readonly RootContent[] },
	definitions: Definitions,
	key: Key,
): ReactNode {
	return createElement(tag, { key }, ...drawAll(node.children, definitions));
}

function draw(node: Nodes, definitions: Definitions, key: Key): ReactNode {
	switch (node.type) {
		case "text":
			return node.value;
		case "paragraph":
			return element("p", node, definitions, key);
		case "heading":
			// Headings of a message are not headings of the page.
			return (
				<p key={key} className="font-semibold" data-level={node.depth}>
					{drawAll(node.children, definitions)}
				</p>
			);
		case "emphasis":
			return element("em", node, definitions, key);
		case "strong":
			return element("strong", node, definitions, key);
		case "delete":
			return element("del", node, definitions, key);
		case "blockquote":
			return element("blockquote", node, definitions, key);
		case "inlineCode":
			return <code key={key}>{node.value}</code>;
		case "code":
			return (
				<pre key={key} data-language={node.lang ?? undefined}>
					<code>{node.value}</code>
				</pre>
			);
		case "break":
			return <br key={key} />;
		case "thematicBreak":
			return <hr key={key} />;
		case "list":
			return node.ordered ? (
				<ol key={key} start={node.start ?? 1}>
					{drawAll(node.children, definitions)}
				</ol>
			) : (
				element("ul", node, definitions, key)
			);
		case "listItem":
			return (
				<li key={key}>
					{typeof node.checked === "boolean" && (node.checked ? "☑ " : "☐ ")}
					{drawAll(node.spread ? node.children : node.children.flatMap(unwrapParagraph), definitions)}
				</li>
			);
		case "table": {
			const [head, ...body] = node.children;
			return (
				<table key={key}>
					<thead>{head && drawRow(head.children, "th", definitions)}</thead>
					<tbody>
						{body.map((row, index) => (
							<Fragment key={index}>{drawRow(row.children, "td", definitions)}</Fragment>
						))}
					</tbody>
				</table>
			);
		}
		case "link":
			return drawLink(node.url, drawAll(node.children, definitions), key);
		case "linkReference": {
			const children = drawAll(node.children, definitions);
			return drawLink(definitions.addresses.get(node.identifier) ?? "", children, key);
		}
		case "image":
			return drawImage(node.alt, node.url, definitions, key);
		case "imageReference":
			return drawImage(node.alt, definitions.addresses.get(node.identifier) ?? "", definitions, key);
		case "html":
			return <Fragment key={key}>{node.value}</Fragment>;
		case "footnoteReference":
			return <sup key={key}>{node.label ?? node.identifier}</sup>;
		case "footnoteDefinition":
			return (
				<div key={key}>
					<sup>{node.label ?? node.identifier}</sup>
					{drawAll(node.children, definitions)}
				</div>
			);
		default:
			return null;
	}
}

/** A tight list writes its paragraphs without space around them. */
function unwrapParagraph(node: RootContent): RootContent[] {
	return node.type === "paragraph" ? node.children : [node];
}

function drawRow(cells: readonly { children: RootContent[] }[], tag: "th" | "td", definitions: Definitions): ReactNode {
	return createElement("tr", null, ...cells.map((cell, index) => element(tag, cell, definitions, index)));
}

/** Never the image itself: nothing is loaded from elsewhere. */
function drawImage(alt: string | null | undefined, url: string, { hasImageLinks }: Definitions, key: Key): ReactNode {
	if (hasImageLinks && SAFE_LINK.test(url)) return drawLink(url, alt || url, key);
	return <code key={key}>{`![${alt ?? ""}](${url})`}</code>;
}

function drawLink(url: string, children: ReactNode, key: Key): ReactNode {
	if (!SAFE_LINK.test(url)) return <Fragment key={key}>{children}</Fragment>;
	return (
		<a key={key} href={url} title={url} target="_blank" rel="noreferrer noopener">
			{children}
		</a>
	);
}
