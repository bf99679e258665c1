import { useSyncExternalStore } from "react";
import { subscribeToTheme, type Theme, type ThemeChoice, theme, themeChoice } from "./theme.ts";

export function useThemeChoice(): ThemeChoice {
	return useSyncExternalStore(subscribeToTheme, themeChoice);
}

/** The theme that is drawn; canvases redraw when it changes. */
export function useTheme(): Theme {
	return useSyncExternalStore(subscribeToTheme, theme);
}
