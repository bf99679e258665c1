import type { ReactNode } from "react";

/** Hues that are told apart by most people, in the order in which they are offered. */
const COLORS = ["#1c5fd4", "#c2570c", "#7d3d9c", "#1d7a46", "#0f6e8c", "#a13a64", "#7a6500", "#59626d"] as const;

/** A colour that the ones before it do not have. */
export function suggestColor(index: number): string {
	return COLORS[index % COLORS.length] ?? COLORS[0];
}

/** The browser's own choice of a colour. */
export function ColorInput({
	label,
	value,
	onChange,
}: {
	/** Its name, when no label stands around it. */
	label?: string;
	value: string;
	onChange: (color: string) => void;
}): ReactNode {
	return (
		<input
			type="color"
			{...(label === undefined ? {} : { "aria-label": label })}
			value={value.toLowerCase()}
			onChange={(event) => onChange(event.target.value)}
			className="h-7 w-9 shrink-0 rounded border border-line-strong bg-surface p-0.5"
		/>
	);
}
