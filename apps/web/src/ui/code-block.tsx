import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";
import { CopyButton } from "./copy-button.tsx";

/** Code to copy. */
export function CodeBlock({ text, label }: { text: string; label: string }): ReactNode {
	return (
		<div className="relative">
			{/* Scrolls sideways, so the keyboard must reach it. */}
			<section
				// biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable
				tabIndex={0}
				aria-label={label}
				className="overflow-x-auto rounded border border-line bg-surface p-3 pr-11"
			>
				<pre className="font-mono text-sm leading-5">{text}</pre>
			</section>
			<CopyButton text={text} label={texts.action.copyNamed(label)} className="absolute top-1.5 right-1.5 bg-surface" />
		</div>
	);
}
