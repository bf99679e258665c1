import { Component, type ReactNode, Suspense, useMemo, useState } from "react";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { classNames } from "../class-names.ts";
import "./markdown.css";
import { lazyPart } from "../lazy-part.tsx";
import { cutText, formatTextSize, textBlocks } from "./cut-text.ts";
import { useTextView } from "./text-view.ts";

const MarkdownTree = lazyPart(() => import("./markdown-tree.tsx"), "MarkdownTree");

/** Longer texts are shown as they are: parsing them would hold up the page. */
const MARKDOWN_LIMIT = 100_000;

/** Nothing in the text that markdown would draw differently: then its parser is not needed. */
const PLAIN = /^[\p{L}\p{N}\s,;:?'"()/%$€+=@.-]*$/u;
const LINE_SYNTAX = /^(?: {0,3}(?:[-+=]|\d+[.)])| {4}|\t)|https?:|www\.|@/mu;

export interface TextContentProps {
	readonly text: string;
	/** Never drawn as markdown: program output, stack traces, single values. */
	readonly plain?: boolean;
	/** Drawn as markdown whatever the switch says: what people write here. */
	readonly isMarkdown?: boolean;
	readonly mono?: boolean;
	/** How much is shown at first, else about a screenful. */
	readonly screenful?: { characters: number; lines: number };
	readonly className?: string;
}

/** A text of any length: a screenful first, all of it on demand; markdown where that is switched on. */
export function TextContent({ text, plain, isMarkdown, mono, screenful, className }: TextContentProps): ReactNode {
	const [view] = useTextView();
	const [whole, setWhole] = useState(false);
	const cut = useMemo(() => cutText(text, screenful), [text, screenful]);
	if (text === "") return <p className="text-muted italic">{texts.noText}</p>;
	const shown = whole ? text : cut.shown;
	const markdown =
		!plain &&
		(isMarkdown || view === "markdown") &&
		shown.length <= MARKDOWN_LIMIT &&
		!(PLAIN.test(shown) && !LINE_SYNTAX.test(shown));
	return (
		<div className={className}>
			{markdown ? <Markdown text={shown} /> : <PlainText text={shown} mono={mono} />}
			{cut.cut && (
				<button
					type="button"
					className="mt-1 text-accent text-sm hover:underline"
					aria-expanded={whole}
					onClick={() => setWhole(!whole)}
				>
					{whole ? texts.showLess : texts.showAll(formatTextSize(text))}
				</button>
			)}
		</div>
	);
}

function PlainText({ text, mono }: { text: string; mono?: boolean | undefined }): ReactNode {
	const blocks = useMemo(() => textBlocks(text), [text]);
	return (
		<div className={classNames("whitespace-pre-wrap break-words", mono && "font-mono text-sm")}>
			{blocks.length === 1
				? text
				: blocks.map((block, index) => (
						<div key={index} className="[contain-intrinsic-size:auto_4000px] [content-visibility:auto]">
							{block}
						</div>
					))}
		</div>
	);
}

function Markdown({ text }: { text: string }): ReactNode {
	const asText = <PlainText text={text} />;
	return (
		<FallBack to={asText} key={text}>
			<Suspense fallback={asText}>
				<div className="markdown">
					<MarkdownTree text={text} />
				</div>
			</Suspense>
		</FallBack>
	);
}

/** A text that cannot be drawn as markdown (nested thousands deep, or the code did not load) is still a text. */
class FallBack extends Component<{ to: ReactNode; children: ReactNode }, { failed: boolean }> {
	override state = { failed: false };
	static getDerivedStateFromError(): { failed: boolean } {
		return { failed: true };
	}
	override render(): ReactNode {
		return this.state.failed ? this.props.to : this.props.children;
	}
}
