import type { ReactNode } from "react";
import { keyLabel } from "../lib/shortcuts.tsx";

/** A key, drawn as one. */
export function Key({ name }: { name: string }): ReactNode {
	return (
		<kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded border border-line-strong bg-sunken px-1 font-sans text-muted text-xs">
			{keyLabel(name)}
		</kbd>
	);
}
