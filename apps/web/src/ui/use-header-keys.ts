import { type RefObject, useEffect, useRef } from "react";
import { useShortcuts } from "../lib/shortcuts.tsx";
import { texts } from "../texts/en.ts";
import type { GridHeaderProps } from "./data-grid-header.tsx";

const STEP = 24;

/** The keys of a grid's header: from head to head, and moving, resizing and hiding the column that has the focus. */
export function useHeaderKeys<Row>({
	header,
	columns,
	arranging,
	onSay,
}: Pick<GridHeaderProps<Row>, "columns" | "arranging" | "onSay"> & { header: RefObject<HTMLElement | null> }): void {
	// A head that is moved in the document loses the focus.
	const moved = useRef<string>(undefined);
	useEffect(() => {
		if (moved.current === undefined) return;
		stopOf(header.current?.querySelector(`[data-column="${CSS.escape(moved.current)}"]`))?.focus();
		moved.current = undefined;
	});
	const focusBeside = (event: KeyboardEvent, step: 1 | -1) => {
		const heads = [...(header.current?.children ?? [])].map(stopOf).filter((stop) => stop !== undefined);
		const at = event.target instanceof HTMLElement ? heads.indexOf(event.target) : -1;
		heads[Math.max(0, Math.min(heads.length - 1, at + step))]?.focus();
	};
	/** Runs a change of the column with the focus; false when it cannot be arranged. */
	const arrange =
		(change: (key: string, arranged: NonNullable<typeof arranging>, head: HTMLElement) => void) =>
		({ target }: KeyboardEvent) => {
			const head = target instanceof Element ? target.closest<HTMLElement>("[data-column]") : null;
			const key = head?.dataset["column"];
			if (!head || key === undefined || !arranging?.layout.isShown(key)) return false;
			return change(key, arranging, head);
		};
	const move = (step: 1 | -1) =>
		arrange((key, { layout, onArrange }) => {
			const next = layout.stepped(key, step);
			const place = next.columns.findIndex((column) => column.key === key);
			moved.current = key;
			onArrange(next);
			onSay(texts.columns.moved(titleOf(columns, key), place + 1, next.columns.length));
		});
	const resize = (step: number) =>
		arrange((key, { layout, onArrange }, head) => {
			const next = layout.resized(key, head.offsetWidth + step);
			onArrange(next);
			onSay(
				texts.columns.resized(titleOf(columns, key), next.columns.find((column) => column.key === key)?.width ?? 0),
			);
		});
	const hide = arrange((key, { layout, onArrange }) => {
		const at = layout.columns.findIndex((column) => column.key === key);
		if (layout.columns[at]?.isNeeded) return;
		const next = layout.toggled(key, false);
		moved.current = next.columns[Math.min(at, next.columns.length - 1)]?.key;
		onArrange(next);
		onSay(texts.columns.hidden(titleOf(columns, key)));
	});
	const { keys } = texts.columns;
	useShortcuts({
		title: keys.title,
		within: header,
		shortcuts: [
			{ keys: ["ArrowLeft", "ArrowRight"], label: keys.beside, run: (event) => focusBeside(event, stepOf(event)) },
			...(arranging
				? [
						{ keys: ["shift+ArrowLeft"], label: keys.left, run: move(-1) },
						{ keys: ["shift+ArrowRight"], label: keys.right, run: move(1) },
						{ keys: ["alt+ArrowLeft"], label: keys.narrower, run: resize(-STEP) },
						{ keys: ["alt+ArrowRight"], label: keys.wider, run: resize(STEP) },
						{ keys: ["Delete"], label: keys.hide, run: hide },
					]
				: []),
		],
	});
}

/** What takes the focus in a head: the button that sorts, else the head itself. */
function stopOf(head: Element | null | undefined): HTMLElement | undefined {
	const stop = head?.querySelector("button") ?? head;
	return stop instanceof HTMLElement && stop.hasAttribute("tabindex") ? stop : undefined;
}

function stepOf({ key }: KeyboardEvent): 1 | -1 {
	return key === "ArrowLeft" ? -1 : 1;
}

function titleOf(columns: readonly { readonly key: string; readonly title: string }[], key: string): string {
	return columns.find((column) => column.key === key)?.title ?? key;
}
