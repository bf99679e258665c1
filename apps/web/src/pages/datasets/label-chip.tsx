import type { ReactNode } from "react";

/** A dot in the label's colour with the name beside it, as colours alone may be hard to distinguish. */
export function LabelChip({ label }: { label: { readonly name: string; readonly color: string } }): ReactNode {
	return (
		<span className="inline-flex h-5 max-w-full items-center gap-1.5 rounded bg-sunken px-1.5 text-sm">
			<svg aria-hidden viewBox="0 0 8 8" className="size-2 shrink-0">
				<circle cx="4" cy="4" r="4" fill={label.color} />
			</svg>
			<span className="truncate">{label.name}</span>
		</span>
	);
}
