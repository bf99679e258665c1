import type { ReactNode } from "react";

/** Colours that most people can distinguish, in the order in which they are suggested. */
const COLORS = ["#1c5fd4", "#c2570c", "#7d3d9c", "#1d7a46", "#0f6e8c", "#a13a64", "#7a6500", "#59626d"] as const;

/** A colour that differs from those of the previous indexes, as long as there are any. */
export function suggestColor(index: number): string {
	return COLORS[index % COLORS.length] ?? COLORS[0];
}

/** The browser's colour picker. */
export function ColorInput({
	label,
	value,
	onChange,
}: {
	/** Accessible name, where no label element surrounds it. */
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
