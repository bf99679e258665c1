import type { PointerEvent } from "react";
import type { GridArranging } from "./grid-layout.ts";

/** Pixels that the pointer goes before a press becomes a move. */
const SLOP = 6;

/**
 * Handlers for the head of a column: dragging it moves the column.
 * @param showDrop called with the column that the moved one would stand before (undefined: the end), and without an
 * argument when the move is over
 */
export function columnMoving<Row>(
	key: string,
	{ layout, onArrange }: GridArranging<Row>,
	showDrop: (drop?: { readonly before: string | undefined }) => void,
) {
	return {
		onPointerDown: ({ button, clientX: start, currentTarget: head, pointerId }: PointerEvent<HTMLElement>) => {
			if (button !== 0) return;
			const stop = new AbortController();
			const { signal } = stop;
			let target: { readonly before: string | undefined } | undefined;
			window.addEventListener(
				"pointermove",
				({ clientX }) => {
					if (target === undefined && Math.abs(clientX - start) < SLOP) return;
					// From here on the head gets all events; the button in it, which would sort, gets no click.
					if (target === undefined) head.setPointerCapture(pointerId);
					target = { before: columnAt(head.parentElement, clientX, layout.columns) };
					showDrop(target);
				},
				{ signal },
			);
			window.addEventListener(
				"pointerup",
				() => {
					if (target !== undefined) onArrange(layout.moved(key, target.before));
				},
				{ signal },
			);
			for (const end of ["pointerup", "pointercancel"] as const) {
				window.addEventListener(
					end,
					() => {
						stop.abort();
						showDrop();
					},
					{ signal },
				);
			}
		},
	};
}

/** The first of the columns whose middle is to the right of the pointer. */
function columnAt(
	row: HTMLElement | null,
	x: number,
	columns: readonly { readonly key: string }[],
): string | undefined {
	return columns.find(({ key }) => {
		const box = row?.querySelector(`[data-column="${CSS.escape(key)}"]`)?.getBoundingClientRect();
		return box !== undefined && x < box.left + box.width / 2;
	})?.key;
}
