import type { ReactNode } from "react";

/** A control with its name before it, on one line. */
export function Labelled({ label, children }: { label: string; children: ReactNode }): ReactNode {
	return (
		// biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
		<label className="flex items-center gap-1.5">
			<span className="text-muted text-sm">{label}</span>
			{children}
		</label>
	);
}
