import { localSetting } from "./local-setting.ts";

export type ThemeChoice = "system" | "light" | "dark";
export type Theme = "light" | "dark";

const choice = localSetting("theme");
const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
/**
 * Kept from its events. Chromium reports no change that was seen before in `matches`, as a chart does that is drawn at
 * that moment.
 */
let isSystemDark = systemDark.matches;
const listeners = new Set<() => void>();

export function themeChoice(): ThemeChoice {
	const value = choice.get();
	return value === "light" || value === "dark" ? value : "system";
}

/** The theme that is drawn. */
export function theme(): Theme {
	const chosen = themeChoice();
	if (chosen !== "system") return chosen;
	return isSystemDark ? "dark" : "light";
}

/** Draws the page in the chosen theme, and keeps following the choice and the system. */
export function followTheme(): void {
	const apply = () => {
		document.documentElement.dataset["theme"] = theme();
		for (const listener of listeners) listener();
	};
	choice.subscribe(apply);
	systemDark.addEventListener("change", ({ matches }) => {
		isSystemDark = matches;
		apply();
	});
	apply();
}

export function setThemeChoice(value: ThemeChoice): void {
	choice.set(value === "system" ? undefined : value);
}

/** Calls `listener` after each change of the choice or of the theme that is drawn. */
export function subscribeToTheme(listener: () => void): () => void {
	listeners.add(listener);
	return () => listeners.delete(listener);
}

/** A colour of styles.css by its name without dashes, for canvases. */
export function themeColor(name: string): string {
	return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
