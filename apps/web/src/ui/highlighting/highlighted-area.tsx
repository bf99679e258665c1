import type { ComponentProps, KeyboardEvent, ReactNode } from "react";
import { classNames } from "../class-names.ts";
import { HighlightedText, type TextLanguage } from "./highlighted-text.tsx";

export interface HighlightedAreaProps extends Omit<ComponentProps<"textarea">, "value" | "wrap"> {
	readonly value: string;
	readonly language: TextLanguage;
	/** Of the box that scrolls. */
	readonly className?: string;
}

const LAYER = "col-start-1 row-start-1 m-0 block p-2";

/**
 * A text area whose text is coloured: the text area itself draws no letters, those of the same text below it are seen. It
 * stays a text area for the keyboard, screen readers, phones and forced colours.
 */
export function HighlightedArea({ value, language, className, ...props }: HighlightedAreaProps): ReactNode {
	const isCode = language === "code";
	const wrapping = isCode ? "whitespace-pre" : "whitespace-pre-wrap [overflow-wrap:anywhere]";
	return (
		<span
			className={classNames(
				"grid resize-y auto-rows-[minmax(100%,max-content)] overflow-auto bg-surface has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:-outline-offset-1",
				isCode ? "grid-cols-[minmax(100%,max-content)] font-mono text-sm" : "grid-cols-[minmax(0,1fr)]",
				className,
			)}
		>
			<span aria-hidden className={classNames(LAYER, wrapping, "pointer-events-none forced-colors:hidden")}>
				<HighlightedText text={value} language={language} />
				{/* A last line that is empty has its height, too. */}
				{"\u200b"}
			</span>
			<textarea
				spellCheck={!isCode}
				rows={1}
				cols={1}
				{...(isCode ? { wrap: "off", autoComplete: "off", autoCapitalize: "off", onKeyDown: keepIndentation } : {})}
				{...props}
				value={value}
				className={classNames(
					LAYER,
					wrapping,
					"size-full resize-none overflow-hidden bg-transparent text-transparent caret-ink outline-none forced-colors:field-sizing-content",
				)}
			/>
		</span>
	);
}

/** A new line of code begins where the one before it did. */
function keepIndentation(event: KeyboardEvent<HTMLTextAreaElement>): void {
	const { currentTarget: area, nativeEvent } = event;
	if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
	if (nativeEvent.isComposing) return;
	const line = area.value.slice(0, area.selectionStart).split("\n").at(-1) ?? "";
	const [indentation = ""] = /^[ \t]*/.exec(line) ?? [];
	if (indentation === "") return;
	event.preventDefault();
	// The only way to insert that can be undone by the keyboard.
	document.execCommand("insertText", false, `\n${indentation}`);
}
