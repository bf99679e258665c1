import type { FilterProblem } from "@spanward/filter-language";
import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";

/** Under the search field: warnings about probable mistakes in the applied filter. */
export function FilterWarnings(props: {
	readonly filter: string;
	readonly warnings: readonly FilterProblem[];
	/** Called with the filter corrected by a suggestion. */
	readonly onFix: (filter: string) => void;
}): ReactNode {
	const { filter, warnings, onFix } = props;
	return (
		<ul
			aria-label={texts.filter.warnings}
			className="shrink-0 border-line border-b bg-warn-soft px-4 py-1 text-sm text-warn"
		>
			{warnings.map(({ message, position, length, suggestions }) => (
				<li key={position} className="flex flex-wrap items-center gap-x-2 [overflow-wrap:anywhere]">
					{texts.filter.warning(message)}
					{suggestions.map((suggestion) => (
						<button
							key={suggestion}
							type="button"
							onClick={() => onFix(filter.slice(0, position) + suggestion + filter.slice(position + length))}
							className="rounded border border-line-strong px-2 font-mono text-ink hover:bg-hover"
						>
							{texts.filter.instead(suggestion)}
						</button>
					))}
				</li>
			))}
		</ul>
	);
}
