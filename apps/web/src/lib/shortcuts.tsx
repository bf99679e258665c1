import { createContext, type ReactNode, type RefObject, useContext, useEffect, useMemo, useRef, useState } from "react";
import { texts } from "../texts/en.ts";

/** A key that does something on the current page. */
export interface Shortcut {
	/** `j`, `ArrowDown`, `?`, `Enter`, `mod+k` (Ctrl, on a Mac Command); each of them does the same. */
	readonly keys: readonly string[];
	readonly label: string;
	/** Returns false when it does not apply now, so that the next shortcut with the key is tried. */
	readonly run: (event: KeyboardEvent) => unknown;
	/** Also works while a text field has the focus. */
	readonly inFields?: boolean;
	/** Not listed on the `?` sheet, as an alias of another shortcut. */
	readonly hidden?: boolean;
}

export interface ShortcutGroup {
	readonly title: string;
	readonly shortcuts: readonly Shortcut[];
	/** The group applies only while the focus is inside this element. */
	readonly within?: RefObject<HTMLElement | null>;
	/** Tried before groups that were mounted later. */
	readonly isFirst?: boolean;
}

interface Registry {
	add(group: RefObject<ShortcutGroup>): () => void;
	/** Innermost (mounted last) first, after those that come first of all. */
	list(): readonly ShortcutGroup[];
}

const ShortcutContext = createContext<Registry | undefined>(undefined);

const { everywhere } = texts.shortcuts;
const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

function name(event: KeyboardEvent): string {
	const mod = isMac ? event.metaKey : event.ctrlKey;
	const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
	return `${mod ? "mod+" : ""}${event.altKey ? "alt+" : ""}${event.shiftKey && event.key.length > 1 ? "shift+" : ""}${key}`;
}

function isField(target: EventTarget | null): boolean {
	if (!(target instanceof HTMLElement)) return false;
	if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
		return true;
	return target instanceof HTMLInputElement && !["checkbox", "radio", "button", "range"].includes(target.type);
}

/** Whether the event comes from an element that keeps its keys to itself, such as a dialog. */
function behindModal(target: EventTarget | null): boolean {
	return target instanceof Element && target.closest("[data-keeps-keys]") !== null;
}

export function ShortcutProvider({ children }: { children: ReactNode }): ReactNode {
	const [registry] = useState<Registry>(() => {
		const groups: RefObject<ShortcutGroup>[] = [];
		return {
			add(group) {
				groups.unshift(group);
				return () => groups.splice(groups.indexOf(group), 1);
			},
			list: () =>
				groups.map((group) => group.current).sort((a, b) => Number(b.isFirst === true) - Number(a.isFirst === true)),
		};
	});
	useEffect(() => {
		const onKey = (event: KeyboardEvent) => {
			if (event.defaultPrevented || event.isComposing || behindModal(event.target)) return;
			const pressed = name(event);
			const field = isField(event.target);
			for (const group of registry.list()) {
				if (group.within && !(event.target instanceof Node && group.within.current?.contains(event.target))) continue;
				for (const shortcut of group.shortcuts) {
					if (!shortcut.keys.includes(pressed) || (field && !shortcut.inFields)) continue;
					if (shortcut.run(event) === false) continue;
					event.preventDefault();
					return;
				}
			}
		};
		document.addEventListener("keydown", onKey);
		return () => document.removeEventListener("keydown", onKey);
	}, [registry]);
	return <ShortcutContext value={registry}>{children}</ShortcutContext>;
}

/**
 * Registers shortcuts while the component is mounted; those mounted last are tried first. All registered shortcuts are
 * listed on the `?` sheet.
 */
export function useShortcuts(group: ShortcutGroup): void {
	const registry = useContext(ShortcutContext);
	const latest = useRef(group);
	useEffect(() => {
		latest.current = group;
	});
	useEffect(() => registry?.add(latest), [registry]);
}

/** The registered shortcuts, for the sheet; groups with the same title are merged. */
export function useShortcutList(open: boolean): readonly ShortcutGroup[] {
	const registry = useContext(ShortcutContext);
	return useMemo(() => {
		if (!open || !registry) return [];
		const byTitle = new Map<string, Shortcut[]>();
		for (const group of registry.list().toReversed()) {
			const shown = group.shortcuts.filter((shortcut) => !shortcut.hidden);
			byTitle.set(group.title, [...(byTitle.get(group.title) ?? []), ...shown]);
		}
		const groups = [...byTitle].map(([title, shortcuts]) => ({ title, shortcuts }));
		// Shortcuts of every page come last.
		return groups.toSorted((a, b) => Number(a.title === everywhere) - Number(b.title === everywhere));
	}, [open, registry]);
}

/** A key as people read it: `mod+k` → Ctrl K or ⌘ K. */
export function keyLabel(key: string): string {
	const names: Record<string, string> = {
		mod: isMac ? "⌘" : "Ctrl",
		alt: isMac ? "⌥" : "Alt",
		shift: "Shift",
		ArrowDown: "↓",
		ArrowUp: "↑",
		ArrowLeft: "←",
		ArrowRight: "→",
		Escape: "Esc",
		" ": "Space",
	};
	return key
		.split("+")
		.map((part) => names[part] ?? part)
		.join(" ");
}
