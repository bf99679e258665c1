import { createContext, useContext } from "react";

interface Shell {
	readonly openCommand: () => void;
	readonly openShortcuts: () => void;
}

export const ShellContext = createContext<Shell>({ openCommand: () => undefined, openShortcuts: () => undefined });

export function useShell(): Shell {
	return useContext(ShellContext);
}
