import type { MouseEvent } from "react";
import { config } from "../lib/config.ts";
import { stringifySearch } from "../lib/search-params.ts";
import { classNames } from "./class-names.ts";

/**
 * Properties of the link that leads where its row leads; each row has one. Right-clicks anywhere in the row reach it, so
 * that the browser offers to copy it.
 */
export function rowLink(className?: string) {
	return {
		"data-row-link": true,
		tabIndex: -1,
		className: classNames(
			"after:pointer-events-none after:absolute after:inset-0 group-data-asked/row:after:pointer-events-auto",
			className,
		),
	} as const;
}

/** The link of a row as an address: a path below the app's base path, and what follows it. */
export function addressOf(path: string, search: object): string {
	return `${config.basePath}${path}${stringifySearch({ ...search })}`;
}

/** Whether a press asks for a new tab: with Ctrl or Command, or with the middle button. */
export function asksForTab({ button, ctrlKey, metaKey }: Pick<MouseEvent, "button" | "ctrlKey" | "metaKey">): boolean {
	return button === 1 || ctrlKey || metaKey;
}

/** Opens the link of a row in a new tab. */
export function openInTab(row: Element): void {
	const link = row.querySelector<HTMLAnchorElement>("a[data-row-link]");
	if (link) window.open(link.href, "_blank", "noopener");
}

/** Lets the row's link lie over the row for a context menu that follows this press, unless it is for something else. */
export function offerLink({ button, target, currentTarget: row }: MouseEvent<HTMLElement>): void {
	const isOther = target instanceof Element && target.closest("button, a") !== null;
	if (button !== 2 || isOther || window.getSelection()?.isCollapsed === false) return;
	row.dataset["asked"] = "";
	const stop = new AbortController();
	const end = () => {
		stop.abort();
		delete row.dataset["asked"];
	};
	// The menu opens after this event, or, where it opens on release, after that one.
	window.addEventListener("contextmenu", () => setTimeout(end), { signal: stop.signal });
	// In the capturing phase, which is over for this event.
	window.addEventListener("pointerdown", end, { signal: stop.signal, capture: true });
	window.addEventListener("pointercancel", end, { signal: stop.signal });
}
