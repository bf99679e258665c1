import type { ReactNode } from "react";
import { MarkdownTree } from "../../ui/content/markdown-tree.tsx";
import "../../ui/content/markdown.css";

/** The text of a widget. Its images are links: nothing is loaded from elsewhere. */
export function MarkdownText({ text }: { text: string }): ReactNode {
	return (
		<div className="markdown">
			<MarkdownTree text={text} hasImageLinks />
		</div>
	);
}
