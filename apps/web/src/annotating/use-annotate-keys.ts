import { type RefObject, useEffect, useEffectEvent, useState } from "react";
import { useShortcuts } from "../lib/shortcuts.tsx";
import { annotatingTexts } from "../texts/annotating-en.ts";
import { DIGITS } from "./config-row.tsx";
import type { AnnotationForm } from "./use-annotation-form.ts";
import type { AnnotationWrites } from "./use-annotation-writes.ts";

const TEXTS = annotatingTexts.shortcuts;

export interface AnnotateKeysOptions {
	readonly panel: RefObject<HTMLElement | null>;
	readonly form: AnnotationForm;
	readonly writes: AnnotationWrites;
	readonly onClose: () => void;
	/** Each new object moves the focus there. */
	readonly focus: { readonly on: "form" | "note" };
}

/** The keys and the focus of the panel. @returns the row whose labels the digit keys choose, and its setter */
export function useAnnotateKeys(options: AnnotateKeysOptions): [row: number, setRow: (row: number) => void] {
	const { panel, form, writes, onClose, focus } = options;
	const [active, setActive] = useState(0);
	useFocus(panel, form, focus, () => setActive(0));

	const choose = (digit: number): boolean => {
		const config = form.configs[active];
		if (config?.type !== "CATEGORICAL") return false;
		const value = config.values[digit - 1];
		if (value === undefined) return true;
		const draft = form.draftOf(config);
		form.change(config, { ...draft, label: draft.label === value.label ? "" : value.label });
		return true;
	};
	useShortcuts({
		title: TEXTS.title,
		within: panel,
		shortcuts: [
			{
				keys: Array.from({ length: DIGITS }, (_, index) => String(index + 1)),
				label: TEXTS.label,
				run: (event) => choose(Number(event.key)),
			},
			{
				keys: ["Enter"],
				label: TEXTS.save,
				inFields: true,
				run: (event) => {
					const element = event.target instanceof Element ? event.target : undefined;
					if (element?.closest("button:not([data-choice]), a, select")) return false;
					writes.saveAndNext();
					return true;
				},
			},
			{
				keys: ["ArrowDown", "ArrowUp"],
				label: TEXTS.move,
				run: (event) => {
					firstControl(panel.current, active + (event.key === "ArrowDown" ? 1 : -1))?.focus();
					return true;
				},
			},
			{ keys: ["Escape"], label: TEXTS.close, inFields: true, run: onClose },
		],
	});
	useShortcuts({ title: TEXTS.title, shortcuts: [{ keys: ["u"], label: TEXTS.undo, run: writes.undoLast }] });
	return [active, setActive];
}

/** Moves the focus into the form or the note on request, and keeps it in the panel when the target changes. */
function useFocus(
	panel: RefObject<HTMLElement | null>,
	{ key, isReady }: AnnotationForm,
	focus: AnnotateKeysOptions["focus"],
	onTarget: () => void,
): void {
	const focusForm = () => (firstControl(panel.current, 0) ?? panel.current)?.focus({ preventScroll: true });
	const focusAsked = useEffectEvent(() => {
		// On a phone it opens below what is read.
		panel.current?.scrollIntoView({ block: "nearest" });
		const note = focus.on === "note" ? panel.current?.querySelector<HTMLElement>("[data-note]") : undefined;
		if (!note) return focusForm();
		note.focus({ preventScroll: true });
		note.scrollIntoView({ block: "nearest" });
	});
	useEffect(() => focusAsked(), [focus, isReady]);
	const beginTarget = useEffectEvent(() => {
		onTarget();
		// The focused element may have been removed with the previous target.
		const isLost = document.activeElement === document.body;
		if (isLost || panel.current?.contains(document.activeElement)) focusForm();
	});
	useEffect(() => beginTarget(), [key]);
}

/** The first control of a row; undefined when there is no such row. */
function firstControl(panel: HTMLElement | null, row: number): HTMLElement | undefined {
	const rows = panel?.querySelectorAll("[data-config]");
	return rows?.[row]?.querySelector<HTMLElement>('[aria-pressed="true"], button, input, textarea') ?? undefined;
}
