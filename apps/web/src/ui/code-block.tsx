import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";
import { classNames } from "./class-names.ts";
import { CopyButton } from "./copy-button.tsx";
import { HighlightedText, type TextLanguage } from "./highlighting/highlighted-text.tsx";

/** Code to copy; the button stands beside it, so that the end of a long line can be read. */
export function CodeBlock({
	text,
	label,
	className = "bg-surface",
	language,
	onCopied,
}: {
	text: string;
	label: string;
	/** The background. */
	className?: string;
	/** What to colour it as. */
	language?: TextLanguage;
	onCopied?: (() => void) | undefined;
}): ReactNode {
	return (
		<div className={classNames("flex items-start rounded border border-line", className)}>
			{/* Scrolls sideways, so the keyboard must reach it. */}
			<section
				// biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable
				tabIndex={0}
				aria-label={label}
				className="min-w-0 flex-1 overflow-x-auto rounded p-3"
			>
				<pre className="w-max font-mono text-sm leading-5">
					{language === undefined ? text : <HighlightedText text={text} language={language} />}
				</pre>
			</section>
			<CopyButton
				text={text}
				label={texts.action.copyNamed(label)}
				className="m-1.5 shrink-0"
				{...(onCopied && { onCopied })}
			/>
		</div>
	);
}
