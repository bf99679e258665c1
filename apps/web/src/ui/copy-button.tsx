import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import { type ReactNode, useEffect, useState } from "react";
import { texts } from "../texts/en.ts";
import { IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";

/**
 * Puts a text on the clipboard; over plain http, where the browser withholds it, by a hidden field.
 * @param given a promise of what takes time: browsers that give the clipboard to clicks only wait for it
 * @throws what the promise is rejected with; another error when the browser refuses
 */
export async function copyText(given: string | Promise<string>): Promise<void> {
	if (window.isSecureContext) {
		if (typeof given === "string") return await navigator.clipboard.writeText(given);
		const blob = given.then((text) => new Blob([text], { type: "text/plain" }));
		return await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
	}
	const text = await given;
	const field = document.createElement("textarea");
	field.value = text;
	field.style.position = "fixed";
	field.style.opacity = "0";
	const focused = document.activeElement;
	document.body.append(field);
	field.select();
	const copied = document.execCommand("copy");
	field.remove();
	if (focused instanceof HTMLElement) focused.focus();
	if (!copied) throw new Error(texts.state.copyRefused);
}

type CopyState = "idle" | "copied" | "refused";

function useCopy(text: string, onCopied?: () => void): [CopyState, () => void] {
	const [state, setState] = useState<CopyState>("idle");
	useEffect(() => {
		if (state === "idle") return;
		const timer = setTimeout(() => setState("idle"), 1500);
		return () => clearTimeout(timer);
	}, [state]);
	const copy = () => {
		copyText(text).then(
			() => {
				setState("copied");
				onCopied?.();
			},
			() => setState("refused"),
		);
	};
	return [state, copy];
}

function copyLabel(state: CopyState, label: string): string {
	if (state === "copied") return texts.state.copied;
	return state === "refused" ? texts.state.copyRefused : label;
}

/** A button that copies a text. */
export function CopyButton({
	text,
	label = texts.action.copy,
	className,
	onCopied,
}: {
	text: string;
	label?: string;
	className?: string;
	onCopied?: () => void;
}): ReactNode {
	const [state, copy] = useCopy(text, onCopied);
	return (
		<IconButton label={copyLabel(state, label)} onClick={copy} className={className}>
			{state === "copied" ? <Check size={14} aria-hidden className="text-ok" /> : <Copy size={14} aria-hidden />}
		</IconButton>
	);
}

/** An id in short; a click copies all of it. */
export function CopyId({
	id,
	name,
	length = 8,
	className,
}: {
	id: string;
	/** What it identifies: "trace id". */
	name: string;
	/** Characters that are shown; the whole id is in the title. */
	length?: number;
	className?: string;
}): ReactNode {
	const [state, copy] = useCopy(id);
	return (
		<button
			type="button"
			title={`${name} ${id}`}
			aria-label={`${copyLabel(state, texts.action.copyNamed(name))} ${id.slice(0, length)}`}
			onClick={copy}
			className={classNames(
				"inline-flex h-6 items-center gap-1 rounded px-1 font-mono text-muted text-sm hover:bg-hover hover:text-ink",
				className,
			)}
		>
			{/* The dots are no text: what is seen has to be part of the accessible name. */}
			<span className={id.length > length ? "after:content-['…']" : ""}>{id.slice(0, length)}</span>
			{state === "copied" ? <Check size={12} aria-hidden className="text-ok" /> : <Copy size={12} aria-hidden />}
		</button>
	);
}
